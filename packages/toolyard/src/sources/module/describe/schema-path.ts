/** Reaches into a schema by the path of a property: `title`, `address.street`, `items[].name`. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { DocComment } from "../../../sandbox/typescript/doc-comment.ts"
import { withDoc } from "../../../sandbox/typescript/doc-keywords.ts"
import type { BindingDefault } from "./constant.ts"

/** What `@param root.path` says comes to the property at that path. */
export function withPathDocs(schema: JsonObject, root: string, docs: Map<string, DocComment>): JsonObject {
  return [...docs].reduce((result, [name, doc]) => {
    const [first, ...path] = name.replaceAll("[]", ".[]").split(".")
    return first === root && path.length > 0 ? change(result, path, property => withDoc(property, doc)) : result
  }, schema)
}

export function withDefaults(schema: JsonObject, defaults: readonly BindingDefault[]): JsonObject {
  return defaults.reduce((result, { path, value }) => {
    const filled = value === undefined ? result : change(result, path, property => ({ ...property, default: value }))
    return withoutRequired(filled, path)
  }, schema)
}

function change(schema: JsonObject, path: readonly string[], edit: (property: JsonObject) => JsonObject): JsonObject {
  const [name, ...rest] = path
  if (name === undefined) return edit(schema)
  if (name === "[]") return isObject(schema.items) ? { ...schema, items: change(schema.items, rest, edit) } : schema
  const { properties } = schema
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!isObject(properties) || !isObject(property)) return schema
  const entries = Object.entries(properties).map(([key, value]) => [
    key,
    key === name ? change(property, rest, edit) : value,
  ])
  return { ...schema, properties: Object.fromEntries(entries) }
}

/** What has a default may be left out. */
function withoutRequired(schema: JsonObject, path: readonly string[]): JsonObject {
  const drop = (object: JsonObject): JsonObject => {
    const { required, ...others } = object
    const left = Array.isArray(required) ? required.filter(name => name !== path.at(-1)) : []
    return left.length > 0 ? { ...others, required: left } : others
  }
  return change(schema, path.slice(0, -1), drop)
}
