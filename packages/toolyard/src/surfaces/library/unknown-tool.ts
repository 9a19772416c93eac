/** A model may ask for what it was not given. */
import { YardError } from "../../model/errors.ts"

export function unknownTool(name: string): YardError {
  return new YardError("unknown_tool", `there is no tool "${name}"`, { hint: "Use one of the tools you were given." })
}
