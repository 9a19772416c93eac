/** Values that come bit by bit (generators, streams, responses) as one value, with each bit told as it comes. */
import { asBytes } from "./json-value.ts"

/** What a function gave, once all of it is there. */
export interface Collected {
  value: unknown
  /** The media type of bytes, where the value itself said it. */
  mediaType?: string
  /** The whole as a text, where it came as pieces of one. */
  text?: string
  failed?: true
}

export type OnItem = (item: unknown, count: number) => void

export async function collect(value: unknown, signal: AbortSignal, onItem: OnItem): Promise<Collected> {
  switch (tagOf(value)) {
    case "Response": {
      const { ok, status, statusText, headers } = value as Response
      const body = await read(value as Response, headers.get("content-type") ?? "", signal)
      if (ok) return body
      const said = typeof body.value === "string" ? body.value : asBytes(body.value) ? "" : JSON.stringify(body.value)
      return { value: `HTTP ${status} ${statusText}`.trim() + (said ? `\n${said}` : ""), failed: true }
    }
    case "Blob":
    case "File":
      return read(value as Blob, (value as Blob).type, signal)
  }
  const iterator = iteratorOf(value)
  if (!iterator) return { value }
  const isStream = tagOf(value) === "ReadableStream" || typeof (value as { pipe?: unknown }).pipe === "function"
  const items = await drain(iterator, signal, isStream ? () => {} : onItem)
  const chunks = isStream ? items.map(asBytes) : []
  if (chunks.length > 0 && chunks.every(chunk => chunk !== undefined)) return { value: Buffer.concat(chunks) }
  const isText = items.length > 0 && items.every(item => typeof item === "string")
  return { value: items, ...(isText && { text: items.join("") }) }
}

/** By what the object calls itself: looking at the global `Response` would load all that belongs to `fetch`. */
function tagOf(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
    : undefined
}

async function read(body: Response | Blob, type: string, signal: AbortSignal): Promise<Collected> {
  const bytes = Buffer.from(await orAborted(body.arrayBuffer(), signal))
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) {
    try {
      return { value: JSON.parse(bytes.toString()) }
    } catch {
      return { value: bytes.toString() }
    }
  }
  if (/^(?:text\/|application\/(?:[\w.-]+\+)?(?:xml|javascript|yaml)\b)/.test(type)) return { value: bytes.toString() }
  return { value: bytes, ...(type && { mediaType: type }) }
}

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>

/** Of what gives its items one after the other; not of arrays, maps and texts, which are there as a whole. */
function iteratorOf(value: unknown): AnyIterator | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync, next } = value as Partial<AsyncGenerator & Generator>
  if (typeof async === "function") return async.call(value)
  if (typeof sync === "function" && typeof next === "function") return sync.call(value)
  return undefined
}

async function drain(iterator: AnyIterator, signal: AbortSignal, onItem: OnItem): Promise<unknown[]> {
  const items: unknown[] = []
  try {
    for (;;) {
      const step = await orAborted(iterator.next(), signal)
      if (step.done) return items
      const item = await step.value
      items.push(item)
      onItem(item, items.length)
      // An endless loop without a pause would keep everyone else waiting, and never hear that it was given up.
      if (items.length % 100 === 0) await new Promise(resolve => setImmediate(resolve))
    }
  } catch (error) {
    // Not waited for: a generator that stands at an `await` of its own ends only after that.
    if (signal.aborted) void Promise.resolve(iterator.return?.()).catch(() => {})
    throw error
  }
}

async function orAborted<T>(value: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener("abort", abort, { once: true })
  try {
    return await Promise.race([value, promise])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}
