/**
 * The one line by which an agent knows a tool:
 * `tools.github.createIssue({ owner: string; labels?: string[] }): Promise<any>`.
 * However large its schemas are, the line stays short, and says so where something is missing.
 */
import { isObject } from "../model/json.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import { toCamel } from "./naming.ts"
import { ANY_RECORD, type Detail, type Rendered, renderType, toNames } from "./schema-type.ts"

/** 400 tokens of about four characters. */
const MAX_LENGTH = 1600

const FULL: Detail = { depth: 12, enumSize: Number.POSITIVE_INFINITY }
const SHORTER: Detail[] = [4, 3, 2, 1].map(depth => ({ depth, enumSize: 12 }))
const LEAST: Detail = { depth: 1, enumSize: 4 }

/** `names` are those that the catalog assigned, where a clash has changed them. */
export function signature(server: string, tool: ToolDefinition, names?: { server: string; tool: string }): string {
  const path = `tools.${names?.server ?? toCamel(server)}.${names?.tool ?? toCamel(tool.name)}`
  const renderInput = (detail: Detail, room: number) => renderParameters(tool.inputSchema, detail, room)
  const renderOutput = (detail: Detail, room: number) =>
    tool.outputSchema === undefined ? complete("any") : renderType(tool.outputSchema, detail, room)

  const input = renderInput(FULL, MAX_LENGTH)
  const output = renderOutput(FULL, MAX_LENGTH)
  const full = `${path}(${input.text}): Promise<${output.text}>`
  if (!input.cut && !output.cut && full.length <= MAX_LENGTH) return full

  const note = ` /* shortened: toolyard tools ${toComment(server)} --schema */`
  // What to pass matters more than what comes back, so the result gets a third of the room at most.
  const result = shorten(renderOutput, MAX_LENGTH / 3) ?? "object"
  const room = MAX_LENGTH - `${path}(${note}): Promise<${result}>`.length
  return `${path}(${shorten(renderInput, room) ?? dropParameters(tool.inputSchema, room)}${note}): Promise<${result}>`
}

function renderParameters(schema: unknown, detail: Detail, room: number): Rendered {
  const rendered = renderType(schema, detail, room)
  // A tool that takes nothing has an object without properties for its schema.
  const saysNothing = ["{}", "unknown", ANY_RECORD].includes(rendered.text)
  const isOpen = isObject(schema) && schema.additionalProperties === true
  return saysNothing && !isOpen ? complete("") : rendered
}

/** The most detailed text that fits, if any does. */
function shorten(render: (detail: Detail, room: number) => Rendered, room: number): string | undefined {
  for (const detail of [FULL, ...SHORTER]) {
    const { text, fits } = render(detail, room)
    if (fits) return text
  }
  return undefined
}

/** As many parameters as fit, the required ones before the others. */
function dropParameters(schema: unknown, room: number): string {
  if (!isObject(schema) || !isObject(schema.properties)) return "object"
  const required = toNames(schema.required)
  const all = Object.entries(schema.properties)
  const kept = new Map<string, unknown>()
  let left = room
  for (const [name, property] of [...all.filter(([n]) => required.has(n)), ...all.filter(([n]) => !required.has(n))]) {
    const alone = toObject([[name, property]], required)
    // A name without its type is still worth more than nothing.
    const { fits } = renderType(alone, LEAST, room / 4, schema)
    kept.set(name, fits ? property : true)
    left -= renderType(toObject([[name, kept.get(name)]], required), LEAST, room, schema).text.length
    if (left < 0) {
      kept.delete(name)
      break
    }
  }
  return renderType(toObject(kept, required), LEAST, room, schema).text
}

function toObject(properties: Iterable<[string, unknown]>, required: Set<string>): object {
  const own = Object.fromEntries(properties)
  return { type: "object", properties: own, required: Object.keys(own).filter(name => required.has(name)) }
}

function complete(text: string): Rendered {
  return { text, cut: false, fits: true }
}

function toComment(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("*/", "* /")
}
