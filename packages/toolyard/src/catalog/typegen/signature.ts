/**
 * The one line by which an agent knows a tool:
 * `tools.github.createIssue(params: { owner: string; labels?: string[] }): Promise<any>`.
 * However large its schemas are, the line stays short, and says so where something is missing. For lists that must be
 * shorter still, there is a form without types.
 */
import { fieldsOf, isNothing, isOptional, learnedFrom, readParams, readResult } from "./documents.ts"
import { toComment, toKey } from "./literal.ts"
import { type Printing, print } from "./print.ts"
import type { ServerShape, ToolShape } from "./shape.ts"
import { type Field, objectOf, type Type, UNKNOWN } from "./type.ts"

/** 400 tokens, even where one has no more than 3.3 characters, as in the densest of real signatures. */
const MAX_LENGTH = 1320
/** Parameters named in the form without types. */
const MAX_TERSE = 24

interface Detail {
  /** How many objects deep properties are shown. */
  depth: number
  enumSize: number
  limits: boolean
}
const FULL: Detail = { depth: 12, enumSize: Number.POSITIVE_INFINITY, limits: true }
const SHORTER: Detail[] = [12, 4, 3, 2, 1].map(depth => ({ depth, enumSize: depth === 12 ? 24 : 12, limits: false }))
const LEAST: Detail = { depth: 1, enumSize: 4, limits: false }

interface Printed {
  text: string
  /** Something was left out. */
  cut: boolean
  fits: boolean
}
type Named = Pick<ServerShape, "server" | "tsName">

export function signature(tool: Omit<ToolShape, "id">, server: Named): string {
  const params = readParams(tool).root.type
  const result = readResult(tool)?.root.type ?? UNKNOWN
  const path = `tools.${server.tsName}.${tool.tsName}`
  const name = `params${isOptional(params) ? "?" : ""}: `
  const origin = learnedFrom(tool) && ` /* ${learnedFrom(tool)} */`
  const toLine = (input: string, note: string, output: string) =>
    `${path}(${input === "" ? "" : name}${input}${note}): Promise<${output}${origin}>`

  const input = isNothing(params) ? { text: "", cut: false } : printWithin(params, "unknown", FULL, MAX_LENGTH)
  const output = printWithin(result, "any", FULL, MAX_LENGTH)
  const full = toLine(input.text, "", output.text)
  if (!input.cut && !output.cut && full.length <= MAX_LENGTH) return full

  const note = ` /* shortened: toolyard types ${toComment(`${server.server}.${tool.name}`).slice(0, 200)} */`
  // What to pass matters more than what comes back, so the result gets a third of the room at most.
  const shortOutput = shorten(result, "any", MAX_LENGTH / 3) ?? "any"
  const room = MAX_LENGTH - toLine("{}", note, shortOutput).length
  const shortInput = input.text && (shorten(params, "unknown", room) ?? dropFields(params, room))
  return toLine(shortInput, note, shortOutput)
}

/** `createIssue(owner, repo, title, labels?)`, the required ones first. */
export function terse(tool: Omit<ToolShape, "id">): string {
  const fields = requiredFirst(fieldsOf(readParams(tool).root.type))
  const names = fields.slice(0, MAX_TERSE).map(({ name, optional }) => `${toKey(name)}${optional ? "?" : ""}`)
  if (fields.length > names.length) names.push("…")
  return `${tool.tsName}(${names.join(", ")})`
}

function printWithin(type: Type, anything: "unknown" | "any", detail: Detail, room: number): Printed {
  const printing: Printing = {
    anything,
    nameOf: () => undefined,
    enumSize: detail.enumSize,
    left: room,
    cut: false,
    names: 0,
    inside: [],
    ...(detail.limits && { after: ({ limits }: Field) => (limits ? ` /* ${toComment(limits)} */` : "") }),
  }
  const text = print(type, printing, detail.depth)
  const fits = printing.left >= 0 && text.length <= room
  return { text, cut: printing.cut || !fits, fits }
}

/** The most detailed text that fits, if any does. */
function shorten(type: Type, anything: "unknown" | "any", room: number): string | undefined {
  for (const detail of [FULL, ...SHORTER]) {
    const printing = printWithin(type, anything, detail, room)
    if (printing.fits) return printing.text
  }
  return undefined
}

/** As many parameters as fit, the required ones before the others. */
function dropFields(type: Type, room: number): string {
  const kept: Field[] = []
  let left = room
  for (const field of requiredFirst(fieldsOf(type))) {
    const alone = printWithin(objectOf([field]), "unknown", LEAST, room / 4)
    // A name without its type is still worth more than nothing.
    const shown = alone.fits ? field : { ...field, type: UNKNOWN }
    left -= printWithin(objectOf([shown]), "unknown", LEAST, room).text.length
    if (left < 0) break
    kept.push(shown)
  }
  return kept.length > 0 ? printWithin(objectOf(kept), "unknown", LEAST, room).text : "object"
}

function requiredFirst(fields: Field[]): Field[] {
  return [...fields.filter(field => !field.optional), ...fields.filter(field => field.optional)]
}
