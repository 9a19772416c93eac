/** The parameters of an operation, from any version of OpenAPI: how each is written on the wire, and its schema. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { ParameterPlan } from "../operation.ts"
import { escapePointer, follow, type Located, partOf } from "../read/resolve.ts"
import { toArgumentName } from "./names.ts"
import type { SourceOperation } from "./source-operation.ts"
import { toStyle } from "./style.ts"

export interface Input {
  plan: ParameterPlan
  schema: Located
  /** The parameter's own words. */
  declared: JsonObject
}

export interface Parameters {
  inputs: Input[]
  /** Swagger 2.0 has its bodies here. */
  body: Located | undefined
  form: Located[]
}

const PLACES = new Set(["path", "query", "header", "cookie"])
/** What a schema holds besides, in parameters of Swagger 2.0. */
const NOT_SCHEMA = new Set(["name", "in", "description", "required", "collectionFormat", "allowEmptyValue"])

export function toParameters(source: SourceOperation): Parameters {
  const { path, complain } = source
  const found = collect(source)
  const result: Parameters = { inputs: [], body: undefined, form: [] }
  const taken = new Set<string>()
  const inPath = new Set(namesIn(path))
  for (const located of found) {
    const { value, at } = located
    const place = placeOf(value.in)
    const name = String(value.name)
    if (place === "body") result.body = located
    else if (place === "formdata") result.form.push(located)
    else if (place === "path" && !inPath.has(name)) {
      complain("unused_path_parameter", at, `the path has no {${name}}: left out`)
    } else if (place === "header" && /^authorization$/i.test(name) && hasSecurity(source)) {
      complain("reserved_header", at, `${name} is sent as the security of the operation says: no argument`)
    } else if (isParameterPlace(place)) {
      if (place === "path") inPath.delete(name)
      result.inputs.push(toInput(located, name, place, taken, source))
    } else if (place === "querystring") result.inputs.push(...fromQueryString(located, taken, source))
    else complain("unknown_place", at, `"${String(value.in)}" is no place for a parameter: left out`)
  }
  for (const name of inPath) {
    complain("undeclared_path_parameter", `/paths/${escapePointer(path)}`, `{${name}} is not declared: added`)
    const declared = { name, in: "path", required: true, schema: { type: "string" } }
    const located = { value: declared, uri: source.operation.uri, at: `/paths/${escapePointer(path)}` }
    result.inputs.push(toInput(located, name, "path", taken, source))
  }
  return result
}

/** What follows `#` tells operations on the same path apart; it is not sent. */
export function pathOf(path: string): string {
  return path.split("#")[0]!
}

/** Some write URI templates: `{name*}`, `{?name}`. */
function namesIn(path: string): string[] {
  return [...pathOf(path).matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!.replace(/^[;.+?#&/]|\*$/g, ""))
}

function hasSecurity({ description, operation }: SourceOperation): boolean {
  const listed = operation.value.security ?? description.root.security
  return Array.isArray(listed) && listed.length > 0
}

/** Those of the operation take the place of those of its path. */
function collect({ description, pathItem, operation, complain }: SourceOperation): (Located & { value: JsonObject })[] {
  const found = new Map<string, Located & { value: JsonObject }>()
  for (const { value, uri, at } of [pathItem, operation]) {
    if (!Array.isArray(value.parameters)) continue
    for (const [index, parameter] of value.parameters.entries()) {
      const place = `${at}/parameters/${index}`
      const located = follow(description, { value: parameter, uri, at: place })
      if (!located || !isObject(located.value) || typeof located.value.name !== "string") {
        complain(located ? "bad_parameter" : "broken_ref", place, "this is no parameter: left out")
        continue
      }
      if (located.value.in !== placeOf(located.value.in) && located.value.in !== "formData") {
        complain("place_in_capitals", located.at, `"in" is read as "${placeOf(located.value.in)}"`)
      }
      found.set(`${placeOf(located.value.in)} ${located.value.name}`, located as Located & { value: JsonObject })
    }
  }
  return [...found.values()]
}

function toInput(
  located: Located & { value: JsonObject },
  name: string,
  place: ParameterPlan["in"],
  taken: Set<string>,
  source: SourceOperation,
): Input {
  const { value, at } = located
  const argument = toArgumentName(name, place, taken)
  taken.add(argument)
  if (place === "path" && value.required !== true) {
    source.complain("optional_path_parameter", at, `{${name}} is required, as everything in a path`)
  }
  const [schema, content] = schemaOf(located, source)
  const type = isObject(schema.value) ? follow(source.description, schema)?.value : undefined
  return {
    plan: {
      argument,
      name,
      in: place,
      required: place === "path" || value.required === true,
      ...toStyle(value, place, isObject(type) ? type : {}, source.isSwagger, (code, text) =>
        source.complain(code, at, text),
      ),
      ...(content !== undefined && { content }),
    },
    schema,
    declared: value,
  }
}

function schemaOf(located: Located & { value: JsonObject }, source: SourceOperation): [Located, content?: string] {
  const { value, uri, at } = located
  if (value.schema !== undefined) return [{ value: value.schema, uri, at: `${at}/schema` }]
  const content = partOf(source.description, located, "content")
  if (isObject(content?.value)) {
    const [mediaType] = Object.keys(content.value)
    if (mediaType !== undefined) {
      const media = partOf(source.description, content, mediaType)
      const schema = isObject(media?.value) ? media.value.schema : undefined
      return [
        { value: schema ?? {}, uri: media?.uri ?? uri, at: `${content.at}/${escapePointer(mediaType)}/schema` },
        mediaType,
      ]
    }
  }
  return [{ value: ownSchema(value, at, source), uri, at }]
}

/** Of a parameter that is its own schema, as in Swagger 2.0. */
export function ownSchema(parameter: JsonObject, at: string, source: SourceOperation): JsonObject {
  const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !NOT_SCHEMA.has(key)))
  if (parameter.type === undefined && parameter.enum === undefined) {
    source.complain("parameter_without_schema", at, `"${String(parameter.name)}" is taken for a string`)
    schema.type = "string"
  } else if (!source.isSwagger) source.complain("swagger_parameter", at, "it is written as in Swagger 2.0")
  return schema
}

/** 3.2: the whole query as one object; each of its properties is a parameter. */
function fromQueryString(
  located: Located & { value: JsonObject },
  taken: Set<string>,
  source: SourceOperation,
): Input[] {
  const [schema] = schemaOf(located, source)
  const target = follow(source.description, schema)
  const properties = isObject(target?.value) && isObject(target.value.properties) ? target.value.properties : {}
  const required = isObject(target?.value) && Array.isArray(target.value.required) ? target.value.required : []
  return Object.entries(properties).map(([name, value]) => {
    const declared = { name, in: "query", required: required.includes(name), schema: value }
    return toInput(
      { value: declared, uri: target!.uri, at: `${target!.at}/properties/${escapePointer(name)}` },
      name,
      "query",
      taken,
      source,
    )
  })
}

function placeOf(place: unknown): string {
  return String(place).toLowerCase()
}

function isParameterPlace(place: string): place is ParameterPlan["in"] {
  return PLACES.has(place)
}
