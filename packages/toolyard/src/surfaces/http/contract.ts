/** The types of `/api`, at the place where the console and the editors look for them. */
export type * from "../../model/api.ts"
