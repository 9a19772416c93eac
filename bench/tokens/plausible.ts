/** Made-up arguments and results, always the same for the same schema: there are no recorded ones. */
import { isObject, type JsonObject } from "../../packages/toolyard/src/model/json.ts"

export interface Tool extends JsonObject {
  name: string
  inputSchema?: unknown
  outputSchema?: unknown
}

const FORMATS: Record<string, string> = {
  uri: "https://example.com/items/42",
  url: "https://example.com/items/42",
  email: "ada@example.com",
  date: "2026-03-14",
  "date-time": "2026-03-14T09:26:53Z",
  time: "09:26:53Z",
  uuid: "4f1a9c52-6f0e-4b2c-9d7e-2a6c1b3d5e7f",
}

/** A value that the schema allows, with what is required and nothing else. */
export function plausible(schema: unknown, name = "value", root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > 12) return `some ${name}`
  if ("const" in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  if ("default" in schema && schema.default !== null) return schema.default
  if (typeof schema.$ref === "string") return plausible(follow(root, schema.$ref), name, root, depth + 1)
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(union))
      return plausible({ ...without(schema), ...(union[0] as JsonObject) }, name, root, depth + 1)
  }
  if (Array.isArray(schema.allOf)) {
    return plausible(Object.assign({}, without(schema), ...schema.allOf), name, root, depth + 1)
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 7
    case "boolean":
      return true
    case "null":
      return null
    case "array":
      return Array.from({ length: Math.max(1, Number(schema.minItems ?? 1)) }, () =>
        plausible(schema.items, name, root, depth + 1),
      )
    case "string":
      return FORMATS[String(schema.format)] ?? `some ${name}`.padEnd(Number(schema.minLength ?? 0), ".")
  }
  if (type !== "object" && !isObject(schema.properties)) return `some ${name}`
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  const properties = isObject(schema.properties) ? schema.properties : {}
  return Object.fromEntries(required.map(key => [key, plausible(properties[key], key, root, depth + 1)]))
}

function without(schema: JsonObject): JsonObject {
  const { anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...rest } = schema
  return rest
}

function follow(root: unknown, ref: string): unknown {
  let found = root
  for (const part of ref.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    found = isObject(found) ? found[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")] : undefined
  }
  return found
}

const LISTS = /(^|[_-])(list|search|find|query|history|all)([_-]|$)|s$/i

/** What such a tool may answer: twenty rows where its name says that it lists or searches, else one record. */
export function plausibleResult(tool: Tool): JsonObject {
  if (isObject(tool.outputSchema)) {
    const structuredContent = plausible(tool.outputSchema)
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
  }
  const record = (id: number): JsonObject => ({
    id: 48_213 + id,
    title: `${tool.name.replaceAll(/[_-]/g, " ")} ${id}`,
    status: id % 3 === 0 ? "open" : "closed",
    url: `https://example.com/${tool.name}/${48_213 + id}`,
    updated_at: "2026-03-14T09:26:53Z",
  })
  const value = LISTS.test(tool.name)
    ? { total: 20, items: Array.from({ length: 20 }, (_, id) => record(id)) }
    : record(0)
  return { content: [{ type: "text", text: JSON.stringify(value) }] }
}
