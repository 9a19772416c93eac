/** JSON Schema of a script's input: of its default function's first parameter, or of the type `Input` it declares. */
import { type Checker, type Project, SignatureKind, SymbolFlags, type Type } from "typescript/unstable/sync"
import type { JsonObject } from "../../model/json.ts"
import { SCRIPT } from "./ambient.ts"
import type { ReadyScript } from "./prepare.ts"
import { typeToSchema } from "./type-to-schema.ts"

export interface InputSchema {
  schema: JsonObject
  /** What the script says of itself. */
  description?: string
}

export function readInputSchema({ checker, program }: Project, script: ReadyScript): InputSchema {
  const { description, defaults } = script.input
  const type = inputType(checker, program, script)
  const schema = type ? typeToSchema(checker, type) : {}
  // Anything at all is, for a tool, any object.
  const whole = Object.keys(schema).length === 0 ? { type: "object" } : schema
  return { schema: withDefaults(whole, defaults), ...(description && { description }) }
}

function inputType(checker: Checker, program: Project["program"], script: ReadyScript): Type | undefined {
  const file = program.getSourceFile(SCRIPT)
  const module = file && checker.getSymbolAtLocation(file)
  const exported = module && checker.getMemberInModuleExports(module, "default")
  const target = exported && exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const value = target && checker.getTypeOfSymbol(target)
  const [signature] = value ? checker.getSignaturesOfType(value, SignatureKind.Call) : []
  const [parameter] = signature?.getParameters() ?? []
  if (parameter) return checker.getTypeOfSymbol(parameter)
  if (!script.input.hasType || !file) return undefined
  const own = checker.resolveName("Input", SymbolFlags.Type, { document: SCRIPT, position: script.checkSource.length })
  return own && checker.getDeclaredTypeOfSymbol(own)
}

function withDefaults(schema: JsonObject, defaults: Record<string, unknown>): JsonObject {
  const properties = schema.properties as Record<string, JsonObject> | undefined
  if (!properties) return schema
  const filled = Object.entries(properties).map(([name, property]) => {
    return [name, Object.hasOwn(defaults, name) ? { ...property, default: defaults[name] } : property]
  })
  const required = (schema.required as string[] | undefined)?.filter(name => !Object.hasOwn(defaults, name))
  const { required: _, ...rest } = schema
  return { ...rest, properties: Object.fromEntries(filled), ...(required?.length && { required }) }
}
