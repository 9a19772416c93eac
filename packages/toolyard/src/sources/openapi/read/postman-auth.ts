/** Auth and variables of Postman collections; no value of a secret is taken over. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { textOf } from "./postman-body.ts"

type Entry = [key: string, value: string, description?: string]

/** Lists of `{ key, value }`, as Postman has them everywhere; what is disabled is left out. */
export function entriesOf(list: unknown): Entry[] {
  return (Array.isArray(list) ? list : []).flatMap(entry => {
    if (!isObject(entry) || entry.disabled === true) return []
    const key = entry.key ?? entry.id
    if (typeof key !== "string" || key === "") return []
    const value = typeof entry.value === "string" || typeof entry.value === "number" ? String(entry.value) : ""
    const description = textOf(entry.description)
    return [description === undefined ? [key, value] : [key, value, description]] as Entry[]
  })
}

/** Variables may have others in them. */
export function lookUp(text: string, variables: ReadonlyMap<string, string>): string {
  let known = text
  for (let i = 0; i < 5; i++) {
    known = known.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => variables.get(name) || whole).slice(0, 2000)
  }
  return known.replace(/\/+$/, "")
}

export function schemeOf(auth: unknown): { name: string; scheme: JsonObject } | undefined {
  if (!isObject(auth) || typeof auth.type !== "string" || auth.type === "noauth") return undefined
  const details = auth[auth.type]
  const settings = new Map(
    isObject(details)
      ? Object.entries(details).map(([key, value]) => [key, String(value)])
      : entriesOf(details).map(([key, value]) => [key, value]),
  )
  switch (auth.type) {
    case "bearer":
    case "jwt":
      return { name: "bearer", scheme: { type: "http", scheme: "bearer" } }
    case "basic":
      return { name: "basic", scheme: { type: "http", scheme: "basic" } }
    case "apikey":
      return {
        name: "apikey",
        scheme: { type: "apiKey", in: settings.get("in") ?? "header", name: settings.get("key") ?? "X-API-Key" },
      }
    case "oauth2": {
      const tokenUrl = settings.get("accessTokenUrl")
      return { name: "oauth2", scheme: { type: "oauth2", flows: { clientCredentials: { tokenUrl, scopes: {} } } } }
    }
    default:
      return { name: auth.type, scheme: { type: auth.type } }
  }
}
