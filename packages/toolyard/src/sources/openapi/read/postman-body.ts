/** Forms and texts of Postman collections. */
import { isObject, type JsonObject } from "../../../model/json.ts"

export function formOf(body: JsonObject): JsonObject {
  const isMultipart = body.mode === "formdata"
  const fields = body[isMultipart ? "formdata" : "urlencoded"]
  const properties = (Array.isArray(fields) ? fields : []).flatMap(field => {
    if (!isObject(field) || typeof field.key !== "string" || field.key === "" || field.disabled === true) return []
    const schema = {
      type: "string",
      ...(field.type === "file" && { format: "binary" }),
      description: textOf(field.description),
    }
    return [[field.key, schema] as const]
  })
  const type = isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded"
  return { content: { [type]: { schema: { type: "object", properties: Object.fromEntries(properties) } } } }
}

/** A description is a text, or an object that has it. */
export function textOf(description: unknown): string | undefined {
  const text = isObject(description) ? description.content : description
  return typeof text === "string" ? text : undefined
}
