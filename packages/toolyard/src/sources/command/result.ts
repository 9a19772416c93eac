/** What a program that has ended gives as the result of a tool. */
import { basename } from "node:path"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"
import { toBlock, toUtf8 } from "../static/media.ts"
import { type Ended, KEEP_BYTES, MAX_OUTPUT_BYTES } from "./run-program.ts"

export function toToolResult(command: string, ended: Ended): ToolResult {
  const { stdout, stderr, code, signal, tooMuch } = ended
  const program = basename(command)
  if (tooMuch) return failure(`${program} was ended: it wrote more than ${MAX_OUTPUT_BYTES / 1024 / 1024} MB`)
  if (code !== 0) {
    const said = (stderr.length > 0 ? stderr : stdout.subarray(-KEEP_BYTES)).toString("utf8").trim()
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
    return failure(`${program} ${how}${said === "" ? "" : `:\n${said}`}`)
  }
  if (stdout.length === 0) return { content: [] }
  const text = toUtf8(stdout)
  if (text === undefined) return { content: [toBlock(stdout)] }
  const structuredContent = jsonObjectIn(text)
  return {
    content: [{ type: "text", text: text.replace(/\r?\n$/, "") }],
    ...(structuredContent && { structuredContent }),
  }
}

const failure = (text: string): ToolResult => ({ isError: true, content: [{ type: "text", text }] })

function jsonObjectIn(text: string): JsonObject | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
