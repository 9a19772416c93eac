/** The text of a description: a file as it is now, or what an address gives, with a copy for when it gives nothing. */
import { readFile, stat } from "node:fs/promises"
import { YardError } from "../../model/errors.ts"
import type { SourceContext } from "../../model/source.ts"
import { allowList } from "../../sandbox/fetch/allow-list.ts"
import { objectIn, openKept } from "./kept.ts"

export interface DescriptionText {
  /** UTF-8, and not looked at yet. */
  bytes: Buffer
  /** Why this is a copy. */
  stale?: string | undefined
}

export const isUrl = (where: string): boolean => /^https?:\/\//i.test(where)

const MAX_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 30_000

export async function readText(file: string): Promise<DescriptionText> {
  try {
    const { size } = await stat(file)
    if (size > MAX_BYTES) throw new YardError("config_invalid", `${file} has more than ${MAX_BYTES} bytes`)
    return { bytes: await readFile(file) }
  } catch (error) {
    if (error instanceof YardError) throw error
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT"
    throw new YardError("config_invalid", isMissing ? `there is no file ${file}` : `${file} can't be read: ${error}`)
  }
}

/** What an address gave last. */
export async function recallText(name: string, context: SourceContext): Promise<DescriptionText | undefined> {
  const copy = await openKept(context.yard.cacheFolder).get(`text ${name}`)
  return copy && { bytes: copy.bytes }
}

/** What `ask` gives, or what it gave when it last gave anything. It is told the tag of what is there. */
export async function askOrRecall(
  name: string,
  context: SourceContext,
  signal: AbortSignal,
  ask: (etag: string | undefined) => Promise<{ text?: string; etag?: string | undefined }>,
): Promise<DescriptionText> {
  const kept = openKept(context.yard.cacheFolder)
  const copy = await kept.get(`text ${name}`)
  const { etag: known, at } = (copy && objectIn(copy.from)) ?? {}
  try {
    const { text, etag } = await ask(typeof known === "string" ? known : undefined)
    if (text === undefined) {
      if (copy) return { bytes: copy.bytes }
      throw new YardError("fetch_failed", `${name} says that nothing changed, to one who has nothing`)
    }
    const bytes = Buffer.from(text)
    await kept.set(`text ${name}`, JSON.stringify({ etag, at: new Date().toISOString() }), bytes)
    return { bytes }
  } catch (error) {
    if (!copy || signal.aborted) throw error
    return { bytes: copy.bytes, stale: `${(error as Error).message}; the copy of ${at ?? "before"} is used` }
  }
}

/** `isNamed` when a person wrote the address: only then may its host be an internal one. */
export function fetchText(
  url: string,
  isNamed: boolean,
  context: SourceContext,
  signal: AbortSignal,
): Promise<DescriptionText> {
  return askOrRecall(url, context, signal, etag => fetchOnce(url, isNamed, etag, signal))
}

/** Without text when nothing changed. */
async function fetchOnce(
  url: string,
  isNamed: boolean,
  known: string | undefined,
  signal: AbortSignal,
): Promise<{ text?: string; etag?: string | undefined }> {
  // It may lead elsewhere, but not to what is inside: only its own host was named by a person.
  const allow = allowList([
    { host: new URL(url).host, from: "`spec`", publicOnly: !isNamed },
    { host: "*", from: "a redirect", publicOnly: true },
  ])
  const headers: [string, string][] = [["accept", "application/json, application/yaml;q=0.9, */*;q=0.5"]]
  if (known !== undefined) headers.push(["if-none-match", known])
  // Loaded when it is needed: it takes long.
  const { createGuardedFetch } = await import("../../sandbox/fetch/guarded-fetch.ts")
  const fetcher = createGuardedFetch({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  const { status, statusText, headers: given, body } = await fetcher.fetch({ url, headers }, allow, signal)
  if (status === 304) return {}
  if (status !== 200 || !("text" in body)) {
    const what = `${status} ${statusText}${status === 200 ? ", and no text" : ""}`.trim()
    throw new YardError("fetch_failed", `${url} gave ${what}`)
  }
  return { text: body.text, etag: given.find(([name]) => name === "etag")?.[1] }
}
