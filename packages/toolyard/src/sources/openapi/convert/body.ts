/** The body of an operation, from any version of OpenAPI: the media types it may be sent as, and its schema. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { type Located, partOf } from "../read/resolve.ts"
import { outlineProperties } from "../schema/outline.ts"
import { type Body, shaped, sorted, toContent } from "./content.ts"
import type { Parameters } from "./parameters.ts"
import type { SourceOperation } from "./source-operation.ts"
import { fromSwagger } from "./swagger-body.ts"

export function toBody(source: SourceOperation, parameters: Parameters): Body | undefined {
  const declared = partOf(source.description, source.operation, "requestBody")
  if (source.operation.value.requestBody !== undefined && !isObject(declared?.value)) {
    source.complain("broken_ref", `${source.operation.at}/requestBody`, "this is no body: anything may be sent as JSON")
    return open(source, `${source.operation.at}/requestBody`)
  }
  if (declared && isObject(declared.value)) return fromContent(declared as Located & { value: JsonObject }, source)
  return fromSwagger(source, parameters)
}

function fromContent(declared: Located & { value: JsonObject }, source: SourceOperation): Body | undefined {
  const content = partOf(source.description, declared, "content")
  const types = isObject(content?.value) ? sorted(Object.keys(content.value)) : []
  if (!content || types.length === 0) {
    source.complain("body_without_content", declared.at, "the body has no media type: JSON is sent")
    return { ...open(source, declared.at), required: declared.value.required === true }
  }
  const all = types.map(mediaType => {
    const media = partOf(source.description, content, mediaType)
    const value = isObject(media?.value) ? media.value : {}
    const at = `${media?.at ?? content.at}/schema`
    // 3.2 describes the items of a stream apart.
    const schema = value.schema ?? (value.itemSchema === undefined ? {} : { type: "array", items: value.itemSchema })
    return { mediaType, media: value, schema: { value: schema, uri: media?.uri ?? content.uri, at } }
  })
  const first = all[0]!
  return {
    required: declared.value.required === true,
    contents: all.map(({ mediaType, media, schema }) => toContent(mediaType, schema, source, media.encoding)),
    schema: withFiles(all, source) ?? shaped(first.mediaType, first.schema, source),
    declared: declared.value,
    media: first.media,
  }
}

/** Where the same can be sent as JSON or, with files, as a form, the files belong to the arguments as well. */
function withFiles(all: { mediaType: string; schema: Located }[], source: SourceOperation): Located | undefined {
  const [first] = all
  const form = all.find(({ mediaType }) => /^multipart\//i.test(mediaType))
  if (!first || !form || first === form || !/json|urlencoded/i.test(first.mediaType)) return undefined
  const known = new Set(outlineProperties(source.description, first.schema).map(({ name }) => name))
  const more = outlineProperties(source.description, form.schema).filter(({ name }) => !known.has(name))
  // References in it would mean something else under the address of another document.
  if (more.length === 0 || more.some(({ schema }) => schema.uri !== first.schema.uri)) return undefined
  const extra = Object.fromEntries(more.map(({ name, schema }) => [name, schema.value]))
  return { ...first.schema, value: { allOf: [first.schema.value, { type: "object", properties: extra }] } }
}

function open(source: SourceOperation, at: string): Body {
  const contents = [{ mediaType: "application/json", encoding: {}, files: [] }]
  return { required: false, contents, schema: { value: {}, uri: source.operation.uri, at }, declared: {}, media: {} }
}
