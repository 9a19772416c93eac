import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { OperationTool } from "../operation.ts"
import { type Description, readDescription } from "../read/description.ts"
import { toOperations } from "./operations.ts"

const FOLDER = join(import.meta.dirname, "../../../../../../../shared/data/openapi")
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter(name => /\.(ya?ml|json)$/.test(name)) : []
const MISSING = FILES.length > 0 ? undefined : "the recorded descriptions are not there"
const SLOW = 120_000
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

const descriptions = new Map<string, Description>()
const made = new Map<string, OperationTool[]>()
const counted = new Map<string, RawOperation[]>()

function descriptionOf(file: string): Description {
  const path = join(FOLDER, file)
  return keep(descriptions, file, () => readDescription(readFileSync(path, "utf8"), path))
}

function toolsOf(file: string): OperationTool[] {
  return keep(made, file, () => toOperations(descriptionOf(file)).tools)
}

function keep<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

describe.each(FILES.length > 0 ? FILES : ["(none)"])("%s", file => {
  it("makes a tool of every operation, with a legal name of its own", { timeout: SLOW }, context => {
    context.skip(MISSING !== undefined, MISSING)
    const tools = toolsOf(file)
    expect(tools.length).toBe(operationsOf(file).length)
    const names = tools.map(({ definition }) => definition.name)
    expect(names.filter(name => !/^[A-Za-z0-9_-]{1,56}$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it("has schemas that compile and whose references lead somewhere", { timeout: SLOW }, context => {
    context.skip(MISSING !== undefined, MISSING)
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false })
    for (const { definition } of toolsOf(file)) {
      for (const schema of [definition.inputSchema, definition.outputSchema]) {
        if (schema === undefined) continue
        // Ajv refuses what refers to nothing as well.
        expect(() => ajv.compile(schema as JsonObject), definition.name).not.toThrow()
        ajv.removeSchema(schema as JsonObject)
        expect(unresolved(schema as JsonObject), definition.name).toEqual([])
      }
    }
  })

  it("loses no parameter and no field of a body", { timeout: SLOW }, context => {
    context.skip(MISSING !== undefined, MISSING)
    const tools = toolsOf(file)
    const lost: string[] = []
    for (const [index, { where, inputs, fields, hasBody }] of operationsOf(file).entries()) {
      const { definition, operation } = tools[index]!
      const schema = definition.inputSchema as JsonObject
      const properties = schema.properties as JsonObject
      for (const [place, name] of inputs) {
        const plan = operation.parameters.find(parameter => parameter.in === place && parameter.name === name)
        if (!plan || !Object.hasOwn(properties, plan.argument)) lost.push(`${where}: ${place} ${name}`)
      }
      if (hasBody && !operation.body) lost.push(`${where}: body`)
      if (!operation.body) continue
      const told = new Set<string>()
      collectFields(schema, properties[operation.body.argument], told, false)
      for (const name of fields) if (!told.has(name)) lost.push(`${where}: body.${name}`)
    }
    expect(lost).toEqual([])
  })

  it("makes the same again", { timeout: SLOW }, context => {
    context.skip(MISSING !== undefined, MISSING)
    expect(JSON.stringify(toOperations(descriptionOf(file)).tools)).toBe(JSON.stringify(toolsOf(file)))
  })
})

describe("all recorded descriptions together", () => {
  it("take at most 250 tokens a tool on average, all told", { timeout: SLOW }, context => {
    context.skip(MISSING !== undefined, MISSING)
    const all = FILES.flatMap(toolsOf)
    const tokens = all.map(({ definition }) =>
      countTokens(JSON.stringify(definition), { disallowedSpecial: new Set() }),
    )
    expect(tokens.reduce((sum, count) => sum + count, 0) / all.length).toBeLessThanOrEqual(250)
  })
})

interface RawOperation {
  where: string
  inputs: [place: string, name: string][]
  fields: Set<string>
  hasBody: boolean
}

function operationsOf(file: string): RawOperation[] {
  return keep(counted, file, () => rawOperations(file))
}

/** Counted from the document itself, with nothing of what is tested. */
function rawOperations(file: string): RawOperation[] {
  const text = readFileSync(join(FOLDER, file), "utf8")
  const root: JsonObject = file.endsWith(".json")
    ? JSON.parse(text)
    : parse(text, { maxAliasCount: -1, uniqueKeys: false })
  const found: RawOperation[] = []
  for (const [path, item] of Object.entries(root.paths as Record<string, JsonObject>)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!METHODS.includes(method) || !isObject(operation)) continue
      const inputs = new Map<string, [string, string]>()
      const fields = new Set<string>()
      let hasBody = false
      const lists = [item.parameters, operation.parameters].filter(Array.isArray)
      for (const parameter of lists.flat().map(one => deref(root, one) as JsonObject)) {
        const place = String(parameter.in)
        if (place === "body") {
          hasBody = true
          collectFields(root, parameter.schema, fields, true)
        } else if (place === "formData") fields.add(String(parameter.name))
        else inputs.set(`${place} ${String(parameter.name)}`, [place, String(parameter.name)])
      }
      const body = deref(root, operation.requestBody) as JsonObject | undefined
      const content = isObject(body?.content) ? body.content : {}
      if (body) hasBody = true
      for (const [type, media] of Object.entries(content)) {
        // What is written as text or bytes has no fields in the arguments.
        if (/json|form/.test(type)) collectFields(root, (media as JsonObject).schema, fields, true)
      }
      found.push({ where: `${method} ${path}`, inputs: [...inputs.values()], fields, hasBody })
    }
  }
  return found
}

/** The names of the first level of an object, or of a list's objects, wherever they stand in its schema. */
function collectFields(
  root: JsonObject,
  schema: unknown,
  into: Set<string>,
  skipReadOnly: boolean,
  seen = new Set<unknown>(),
): void {
  const target = deref(root, schema)
  if (!isObject(target) || seen.has(target)) return
  seen.add(target)
  for (const [name, property] of Object.entries(isObject(target.properties) ? target.properties : {})) {
    const resolved = deref(root, property)
    const isReadOnly = [property, resolved].some(one => isObject(one) && one.readOnly === true)
    if (!skipReadOnly || !isReadOnly) into.add(name)
  }
  for (const key of ["allOf", "oneOf", "anyOf"]) {
    const parts = target[key]
    if (Array.isArray(parts)) for (const part of parts) collectFields(root, part, into, skipReadOnly, seen)
  }
  if (isObject(target.items)) collectFields(root, target.items, into, skipReadOnly, seen)
}

function deref(root: JsonObject, value: unknown): unknown {
  let current = value
  while (isObject(current) && typeof current.$ref === "string") {
    let next: unknown = root
    for (const key of current.$ref.slice(2).split("/")) {
      const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
      next = isObject(next) || Array.isArray(next) ? (next as JsonObject)[name] : undefined
    }
    current = next
  }
  return current
}

function unresolved(schema: JsonObject): string[] {
  const defs = isObject(schema.$defs) ? schema.$defs : {}
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(match => match[1]!)
  return references.filter(reference => !Object.hasOwn(defs, reference.replace("#/$defs/", "")))
}
