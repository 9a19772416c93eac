/** What is told of a schema that is too deep, or too much, to be told whole: its type, its text, its fields' names. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { Description } from "../read/description.ts"
import type { Located } from "../read/resolve.ts"
import type { Detail, SchemaNode } from "./fragment.ts"
import { TYPES } from "./keywords.ts"
import { outline } from "./outline.ts"
import { saysMoreThan, shorten } from "./text.ts"
import { orNull } from "./union.ts"

const MIN_FIELDS = 60

export function describe(schema: JsonObject, out: SchemaNode, name: string | undefined, detail: Detail): void {
  const text = typeof schema.description === "string" ? schema.description : undefined
  if (text === undefined || detail.text === 0) return
  const short = shorten(text, detail.text)
  if (short !== "" && (name === undefined || saysMoreThan(short, name))) out.description = short
}

/** There is something inside. */
export function isTooDeep(description: Description, place: Located, schema: JsonObject): boolean {
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return true
  const parts = [schema.oneOf, schema.anyOf, schema.allOf]
  if (!parts.some(list => Array.isArray(list) && list.length > 0)) return false
  return outline(description, { ...place, value: schema }).names.length > 0
}

export function collapse(
  description: Description,
  place: Located,
  schema: JsonObject,
  out: SchemaNode,
  detail: Detail,
): SchemaNode {
  const { names, types } = outline(description, { ...place, value: schema })
  const known = types.filter(type => TYPES.has(type))
  if (out.type === undefined && known.length > 0) out.type = known.length === 1 ? known[0] : known
  if (Array.isArray(out.type) ? out.type.includes("array") : out.type === "array") out.items = {}
  if (detail.mode === "output") return orNull(out)
  if (names.length > 0 && detail.text > 0) {
    const fields = `Fields: ${names.join(", ")}`
    const max = Math.max(detail.text, MIN_FIELDS)
    const short = fields.length <= max ? fields : `${fields.slice(0, fields.lastIndexOf(",", max))}, …`
    out.description = typeof out.description === "string" ? `${out.description} ${short}` : short
  }
  return out
}
