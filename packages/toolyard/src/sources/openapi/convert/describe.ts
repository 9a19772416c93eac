/** What a tool says of itself: its operation's summary and description, cut to what helps to choose and to call it. */
import type { JsonObject } from "../../../model/json.ts"
import { estimateTokens } from "../../../model/tokens.ts"
import { toPlain } from "../schema/text.ts"

const MAX_TITLE = 100
const MAX_ROWS = 6

export function toTitle(operation: JsonObject): string | undefined {
  const { summary } = operation
  if (typeof summary !== "string") return undefined
  const title = toPlain(summary).replace(/\s+/g, " ").replace(/\.$/, "")
  return title === "" || title.length > MAX_TITLE ? undefined : title
}

export function toText(operation: JsonObject, call: string, maxTokens: number): string {
  const summary = typeof operation.summary === "string" ? toPlain(operation.summary).replace(/\s+/g, " ") : ""
  const description = typeof operation.description === "string" ? toPlain(operation.description) : ""
  const told = startsAlike(description, summary) ? description : `${summary}\n${description}`.trim()
  const text = cut(told === "" ? call : told, maxTokens)
  return operation.deprecated === true ? `Deprecated. ${text}` : text
}

function startsAlike(description: string, summary: string): boolean {
  // Only as much as the summary could be: descriptions may be long.
  const head = words(description.slice(0, 2 * summary.length + 20))
  return head.startsWith(words(summary))
}

function words(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
}

/** Whole lines while they fit, then whole sentences; the first one always. */
function cut(text: string, maxTokens: number): string {
  const kept: string[] = []
  let left = maxTokens
  let rows = 0
  for (const line of text.split("\n")) {
    const trimmed = line.trim()
    if (trimmed === "" || /^[-=*_|: ]{3,}$/.test(trimmed)) continue
    rows = trimmed.startsWith("|") ? rows + 1 : 0
    if (rows > MAX_ROWS) continue
    const cost = estimateTokens(trimmed) + 1
    if (cost <= left) {
      kept.push(trimmed)
      left -= cost
      continue
    }
    const sentences = trimmed.match(/[^.!?]+(?:[.!?]+(?=\s|$)|$|[.!?]+)\s*/g) ?? [trimmed]
    let part = ""
    for (const sentence of sentences) {
      const cost = estimateTokens(sentence)
      if (cost > left && (part !== "" || kept.length > 0)) break
      part += sentence
      left -= cost
    }
    if (part !== "") kept.push(part.length > maxTokens * 6 ? `${part.slice(0, maxTokens * 6)}…` : part.trim())
    break
  }
  return kept.join("\n")
}
