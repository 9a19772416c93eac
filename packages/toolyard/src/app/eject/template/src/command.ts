/** Runs a program with the tool's arguments in their places. Never through a shell. */
import { spawn } from "node:child_process"
import { basename } from "node:path"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { expand } from "./text.ts"

/** A text as it is, or a parameter by its name. */
export type Part = string | { parameter: string; list?: true }

export interface Line {
  command: string
  /** An argument may consist of several parts. */
  args: Part[][]
  stdin?: Part[]
  cwd?: string
  /** What is used where a parameter is absent. */
  defaults: Record<string, unknown>
  /** Parameters whose values may begin with `-`, though the program could take them for options. */
  mayBeOption: Record<string, { values?: unknown[]; pattern?: string }>
}

const MAX_BYTES = 100 * 1024 * 1024
const KEEP_CHARS = 64 * 1024

export async function run(line: Line, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
  const { argv, stdin } = fill(line, args)
  const { command, cwd } = line
  const child = spawn(expand(command), argv, {
    cwd,
    signal,
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  })
  const out: Buffer[] = []
  let size = 0
  let said = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BYTES) child.kill("SIGKILL")
    else out.push(chunk)
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-KEEP_CHARS)
  })
  // A program need not read what it is given.
  child.stdin?.on("error", () => {}).end(stdin)
  const [code, ended] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject).on("close", (code, ended) => resolve([code, ended]))
  })
  return toResult(
    basename(command),
    Buffer.concat(out),
    said.trim(),
    code,
    size > MAX_BYTES ? "too much output" : ended,
  )
}

function toResult(
  program: string,
  out: Buffer,
  said: string,
  code: number | null,
  ended: string | null,
): CallToolResult {
  const text = new TextDecoder().decode(out)
  if (code !== 0) {
    const why = said || text.slice(-KEEP_CHARS).trim()
    const how = ended === null ? `ended with exit code ${code}` : `was ended by ${ended}`
    return { isError: true, content: [{ type: "text", text: `${program} ${how}${why === "" ? "" : `:\n${why}`}` }] }
  }
  if (out.length === 0) return { content: [] }
  const structuredContent = objectIn(text)
  return {
    content: [{ type: "text", text: text.replace(/\r?\n$/, "") }],
    ...(structuredContent && { structuredContent }),
  }
}

/** The arguments of the program, and what is written to it. */
export function fill(line: Line, given: Record<string, unknown>): { argv: string[]; stdin: string | undefined } {
  const valueFor = (name: string): unknown => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const used = value ?? (Object.hasOwn(line.defaults, name) ? line.defaults[name] : undefined)
    if ([used].flat().some(item => toText(item).includes("\0"))) throw new Error(`"${name}" holds a NUL character`)
    return used
  }
  const argv: string[] = []
  let optionsEnded = false
  for (const [index, parts] of line.args.entries()) {
    const filled = fillArgument(parts, valueFor, optionsEnded ? undefined : line)
    const isWhole = parts.length === 1 && typeof parts[0] !== "string"
    // An option goes with its value: alone it would take the next argument for it.
    if (filled.length === 0 && isWhole && isOption(line.args[index - 1])) argv.pop()
    argv.push(...filled)
    optionsEnded ||= parts.length === 1 && parts[0] === "--"
  }
  const stdin = line.stdin?.map(part => (typeof part === "string" ? expand(part) : toText(valueFor(part.parameter))))
  return { argv, stdin: stdin?.join("") }
}

function fillArgument(parts: Part[], valueFor: (name: string) => unknown, guard: Line | undefined): string[] {
  let text = ""
  for (const part of parts) {
    if (typeof part === "string") {
      text += expand(part)
      continue
    }
    const { parameter, list } = part
    const value = valueFor(parameter)
    const checked = (item: unknown): string => (guard ? unlikeOption(guard, parameter, item) : toText(item))
    if (list) return ((value ?? []) as unknown[]).map(checked)
    if (value === undefined || value === null) return []
    text += text === "" ? checked(value) : toText(value)
  }
  return [text]
}

/** A caller must not be able to pass options where values are meant. */
function unlikeOption({ mayBeOption }: Line, name: string, value: unknown): string {
  const text = toText(value)
  if (!text.startsWith("-") || typeof value === "number") return text
  const { values, pattern } = (Object.hasOwn(mayBeOption, name) ? mayBeOption[name] : undefined) ?? {}
  if (values?.includes(value) || (pattern?.startsWith("^") && new RegExp(pattern, "u").test(text))) return text
  throw new Error(`"${name}" may not begin with "-": the program could take it for an option`)
}

function isOption(parts: Part[] | undefined): boolean {
  const [only] = parts ?? []
  return parts?.length === 1 && typeof only === "string" && /^--?[^-]/.test(only)
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
