/** The body as Swagger 2.0 has it: among the parameters, as one of them or field by field. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { type Body, isForm, shaped, sorted, toContent } from "./content.ts"
import { ownSchema, type Parameters } from "./parameters.ts"
import type { SourceOperation } from "./source-operation.ts"

export function fromSwagger(source: SourceOperation, { body, form }: Parameters): Body | undefined {
  const { operation, description, isSwagger, complain } = source
  const consumes = [operation.value.consumes, description.root.consumes].find(Array.isArray)?.map(String) ?? []
  if (body && isObject(body.value)) {
    if (!isSwagger) complain("body_parameter", body.at, "a body among the parameters is read as the request's body")
    const schema = { value: body.value.schema ?? {}, uri: body.uri, at: `${body.at}/schema` }
    const types = sorted(consumes.length > 0 ? consumes : ["application/json"])
    return {
      required: body.value.required === true,
      contents: types.map(mediaType => toContent(mediaType, schema, source, undefined)),
      schema: shaped(types[0]!, schema, source),
      declared: body.value,
      media: {},
    }
  }
  if (form.length === 0) return undefined
  const fields = form.map(field => field.value as JsonObject)
  const hasFiles = fields.some(field => String(field.type).toLowerCase() === "file")
  const types = consumes.filter(type => isForm(type) && (!hasFiles || /^multipart\//i.test(type)))
  const usual = hasFiles ? "multipart/form-data" : "application/x-www-form-urlencoded"
  const required = fields.filter(field => field.required === true).map(field => String(field.name))
  const properties = Object.fromEntries(
    form.map(({ value, at }) => {
      const field = value as JsonObject
      const own = isObject(field.schema) ? field.schema : ownSchema(field, at, source)
      return [
        String(field.name),
        { ...own, ...(field.description !== undefined && { description: field.description }) },
      ]
    }),
  )
  const schema = {
    value: { type: "object", properties, required },
    uri: form[0]!.uri,
    at: `${operation.at}/parameters`,
  }
  const encoding = Object.fromEntries(
    fields.flatMap(field =>
      field.type === "array"
        ? [[String(field.name), { style: "form", explode: field.collectionFormat === "multi" }]]
        : [],
    ),
  )
  return {
    required: required.length > 0,
    contents: (types.length > 0 ? sorted(types) : [usual]).map(type => toContent(type, schema, source, encoding)),
    schema,
    declared: {},
    media: {},
  }
}
