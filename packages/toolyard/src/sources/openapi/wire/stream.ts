/** Answers that come bit by bit (server-sent events, a JSON value a line): passed on as progress, collected to a limit. */
import type { Readable } from "node:stream"

export interface Collected {
  items: string[]
  /** Why it was ended before the server did. */
  stopped: string | undefined
}

export interface CollectOptions {
  isEvents: boolean
  /** How long to listen. */
  maxMs: number
  signal: AbortSignal
  onItem: (item: string, count: number) => void
}

const MAX_ITEMS = 1000
const MAX_CHARS = 1_000_000

export async function collectStream(body: Readable, options: CollectOptions): Promise<Collected> {
  const items: string[] = []
  const split = options.isEvents ? eventSplitter() : lineSplitter()
  let chars = 0
  let stopped: string | undefined
  const timer = setTimeout(() => {
    stopped = `after ${Math.round(options.maxMs / 1000)} s`
    body.destroy()
  }, options.maxMs)
  const take = (found: string[]): boolean => {
    for (const item of found) {
      if (items.length >= MAX_ITEMS) stopped = `after ${MAX_ITEMS} parts`
      else if (chars + item.length > MAX_CHARS) stopped = `after ${MAX_CHARS} characters`
      if (stopped !== undefined) return false
      chars += item.length
      items.push(item)
      options.onItem(item, items.length)
    }
    return true
  }
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) if (!take(split(decoder.decode(chunk as Buffer, { stream: true })))) break
    if (stopped === undefined) take(split(undefined))
  } catch (error) {
    // Ended by ourselves; what came before is what there is.
    if (stopped === undefined) throw options.signal.aborted ? options.signal.reason : error
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  return { items, stopped }
}

/** Takes text, gives what is complete; `undefined` ends it. */
type Split = (text: string | undefined) => string[]

function lineSplitter(): Split {
  let rest = ""
  return text => {
    if (text === undefined) return rest.trim() === "" ? [] : [rest.trim()]
    const lines = (rest + text).split(/\r?\n|\x1e/)
    rest = bounded(lines.pop()!)
    return lines.map(line => line.trim()).filter(line => line !== "")
  }
}

/** The data of each event; what names it and what is a comment is left out. */
function eventSplitter(): Split {
  let rest = ""
  let data: string[] = []
  const end = (): string[] => {
    const event = data.join("\n")
    data = []
    return event === "" || event === "[DONE]" ? [] : [event]
  }
  const line = (text: string): string[] => {
    if (text === "") return end()
    if (text === "data" || text.startsWith("data:")) data.push(text.slice(5).replace(/^ /, ""))
    return []
  }
  return text => {
    if (text === undefined) return [...line(rest), ...end()]
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = bounded(lines.pop()!)
    return lines.flatMap(line)
  }
}

const bounded = (text: string): string => text.slice(0, MAX_CHARS + 1)
