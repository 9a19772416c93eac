/**
 * A JSON value made small enough for a budget of tokens, and still a JSON value of the same structure: what is left out
 * is named where it was. Parts that are small stay whole; what the large ones may cost is shared evenly between them.
 */
import { isObject } from "../../model/json.ts"
import { estimateTokens } from "../../model/tokens.ts"

/** Nobody reads deeper; it also bounds the recursion. */
const MAX_DEPTH = 32
/** A part that is shown gets at least this share of the budget around it, so that few are shown well, not many badly. */
const LEAST_SHARE = 1 / 50
const LEAST_TOKENS = 16
const ENOUGH_TOKENS = 400
/** Of a mark that something was left out. */
const MARK_TOKENS = 10
/** A longer text costs more than the budget, whatever is in it. */
const MAX_CHARS_PER_TOKEN = 40
/** What most texts have; the first guess. */
const CHARS_PER_TOKEN = 4
const STEPS = 5

/** The items of an array or the members of an object, in order. */
interface Parts {
  readonly size: number
  at(index: number): unknown
  /** Of the key and what stands between the parts. */
  costOfKey(index: number): number
}

export function shorten(value: unknown, budget: number, depth = 0): unknown {
  if (costOf(value, budget, depth) <= budget) return value
  if (typeof value === "string") return shortenText(value, budget)
  const parts = partsOf(value)
  if (!parts) return value
  const budgets = depth < MAX_DEPTH ? shareOut(parts, budget, depth) : []
  const kept = budgets.map((share, i) => shorten(parts.at(i), share, depth + 1))
  const left = parts.size - kept.length
  if (Array.isArray(value)) {
    if (kept.length === 0) return `… (${count(left, "item")})`
    return left > 0 ? [...kept, `… ${left} more ${left === 1 ? "item" : "items"}`] : kept
  }
  if (kept.length === 0) return `… (object of ${count(left, "key")})`
  const keys = Object.keys(value as object)
  const members = kept.map((part, i): [string, unknown] => [keys[i]!, part])
  if (left > 0) members.push([freeKey(keys), `${left} more ${left === 1 ? "key" : "keys"}`])
  return Object.fromEntries(members)
}

/** How many of the parts are shown, and what each may cost. */
function shareOut(parts: Parts, budget: number, depth: number): number[] {
  const least = Math.min(Math.max(budget * LEAST_SHARE, LEAST_TOKENS), ENOUGH_TOKENS)
  let room = budget - MARK_TOKENS
  const shares: { sure: number; wanted: number }[] = []
  for (let i = 0; i < parts.size; i++) {
    const cost = costOf(parts.at(i), budget, depth + 1)
    const sure = Math.min(cost, least)
    const needed = parts.costOfKey(i) + sure
    if (needed > room) break
    room -= needed
    shares.push({ sure, wanted: cost - sure })
  }
  const level = levelOf(
    shares.map(({ wanted }) => wanted),
    room,
  )
  return shares.map(({ sure, wanted }) => Math.floor(sure + Math.min(wanted, level)))
}

/** As water in connected vessels: the height up to which all that is wanted can be given. */
function levelOf(wanted: number[], room: number): number {
  let left = room
  const rising = wanted.sort((a, b) => a - b)
  for (const [i, height] of rising.entries()) {
    const even = left / (rising.length - i)
    if (height > even) return even
    left -= height
  }
  return Number.POSITIVE_INFINITY
}

/** In tokens; anything over the limit once it is over. What is nested too deeply has no price. */
function costOf(value: unknown, limit: number, depth: number): number {
  if (typeof value === "string") {
    return value.length > limit * MAX_CHARS_PER_TOKEN + 1 ? limit + 1 : estimateTokens(JSON.stringify(value))
  }
  const parts = partsOf(value)
  if (!parts) return estimateTokens(String(value))
  if (depth >= MAX_DEPTH && parts.size > 0) return Number.POSITIVE_INFINITY
  let cost = 1
  for (let i = 0; i < parts.size && cost <= limit; i++) {
    cost += parts.costOfKey(i) + costOf(parts.at(i), limit - cost, depth + 1)
  }
  return cost
}

function partsOf(value: unknown): Parts | undefined {
  if (Array.isArray(value)) return { size: value.length, at: index => value[index], costOfKey: () => 0.5 }
  if (!isObject(value)) return undefined
  const keys = Object.keys(value)
  return {
    size: keys.length,
    at: index => value[keys[index]!],
    costOfKey: index => estimateTokens(keys[index]!) + 1,
  }
}

function shortenText(text: string, budget: number): string {
  let kept = text.slice(0, lengthFor(text, budget - MARK_TOKENS))
  // Never between the halves of a surrogate pair.
  if (/[\ud800-\udbff]$/.test(kept)) kept = kept.slice(0, -1)
  const left = text.length - kept.length
  return kept === ""
    ? `… (${count(left, "character")})`
    : `${kept}… (${left} more ${left === 1 ? "character" : "characters"})`
}

/** How much of a text costs no more than this: a few steps by rule of three, the best of which counts. */
function lengthFor(text: string, room: number): number {
  if (room < 1) return 0
  let best = 0
  let length = room * CHARS_PER_TOKEN
  for (let i = 0; i < STEPS; i++) {
    length = Math.min(Math.floor(length), text.length)
    const cost = estimateTokens(JSON.stringify(text.slice(0, length)))
    if (cost <= room) best = Math.max(best, length)
    // A little less when it was too much, so that a text that is dearer towards its end is found as well.
    length *= (room / cost) * (cost > room ? 0.98 : 1)
  }
  return best
}

function freeKey(keys: string[]): string {
  let key = "…"
  while (keys.includes(key)) key += "…"
  return key
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`
}
