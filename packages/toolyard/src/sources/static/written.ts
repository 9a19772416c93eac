/** What is written of an item besides what it does: checked, and passed on to clients as it is. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"

const TEXTS = ["name", "title", "description", "mimeType"]
const OBJECTS = ["annotations", "outputSchema", "_meta"]

/** Throws `config_invalid` for what no client could read. */
export function shownOf(written: JsonObject, notShown: ReadonlySet<string>): JsonObject {
  const text = TEXTS.find(key => written[key] !== undefined && typeof written[key] !== "string")
  if (text !== undefined) throw invalid(`has a \`${text}\` that is not a string`)
  const object = OBJECTS.find(key => written[key] !== undefined && !isObject(written[key]))
  if (object !== undefined) throw invalid(`has an \`${object}\` that is not an object`)
  return Object.fromEntries(Object.entries(written).filter(([key]) => !notShown.has(key)))
}

/** A fault of an item, in words that go on after its name. */
export const invalid = (message: string): YardError => new YardError("config_invalid", `it ${message}`)
