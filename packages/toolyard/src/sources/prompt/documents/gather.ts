/** All that is known of an API before a model is asked: the pages that the prompt names, and the hosts they lead to. */
import { YardError } from "../../../model/errors.ts"
import type { Resolve } from "../../../sandbox/fetch/hop.ts"
import type { FoundDescription, Gathered, Progress } from "../model.ts"
import { cutPages, type UncutPage } from "./cut.ts"
import { describesApi, descriptionLinks, isDescriptionName } from "./description.ts"
import { type DocumentFetch, openDocumentFetch } from "./fetch-text.ts"
import { GITHUB_RAW, rawAddresses } from "./github.ts"
import { createHtmlReader, type ReadHtml } from "./read-html.ts"
import { findOtherAddresses, findUrls, isTemplate, withoutSecrets } from "./urls.ts"
import { isListed, listedHost, promptHosts, toWhitelist } from "./whitelist.ts"

export interface GatherDeps {
  signal?: AbortSignal | undefined
  progress?: Pick<Progress, "step"> | undefined
  /** For one document, all its bytes. */
  timeoutMs?: number | undefined
  /** Where GitHub keeps the text of files. */
  githubRaw?: string | undefined
  /** Instead of the system's name resolution. */
  resolve?: Resolve | undefined
}

interface ReadDocument {
  page?: UncutPage
  description?: FoundDescription
  links: URL[]
  /** Addresses that plainly lead to a description, on a host that may be asked for it. */
  candidates: URL[]
}

const MAX_PROMPT_CHARS = 100_000
const MAX_DOCUMENTS = 20
const MAX_CANDIDATES = 3
/** For all the names a README may have; each single fetch has a limit of its own. */
const MAX_SEARCH_MS = 15_000
const NEVER = new AbortController().signal

export async function gatherDocuments(prompt: string, deps: GatherDeps = {}): Promise<Gathered> {
  checkPrompt(prompt)
  const { signal = NEVER, progress, timeoutMs, resolve, githubRaw = GITHUB_RAW } = deps
  const urls = findUrls(prompt).filter(url => !isTemplate(url))
  const warnings = findOtherAddresses(prompt).map(text => `${text} is not read: only http and https addresses are`)
  if (urls.length > MAX_DOCUMENTS) warnings.push(`only the first ${MAX_DOCUMENTS} of ${urls.length} addresses are read`)
  const network = openDocumentFetch(prompt, { timeoutMs, resolve, hosts: [listedHost(new URL(githubRaw))] })
  const reading: Reading = { prompt, githubRaw, signal, readHtml: createHtmlReader() }
  try {
    const failures: Gathered["failures"] = []
    const attempts = urls.slice(0, MAX_DOCUMENTS).map(async url => {
      const name = withoutSecrets(url)
      progress?.step("fetch", `reading ${name}`, { url: name })
      try {
        return { name, read: await readDocument(url, network, reading) }
      } catch (error) {
        return { name, reason: reasonOf(error, signal) }
      }
    })
    const read: ReadDocument[] = []
    for (const attempt of await Promise.all(attempts)) {
      if (attempt.read) read.push(attempt.read)
      else failures.push({ url: attempt.name, reason: attempt.reason })
    }
    const whitelist = toWhitelist(
      prompt,
      read.flatMap(({ links }) => links),
    )
    const named = read.flatMap(({ description }) => description ?? [])
    const descriptions = named.length > 0 ? named : await tryCandidates(read, network, signal)
    const pages = cutPages(read.flatMap(({ page }) => page ?? []))
    const cuts = pages.flatMap(({ url, cut }) => (cut ? [`${url}: ${cut}`] : []))
    return {
      pages,
      failures,
      whitelist: whitelist.hosts,
      descriptions,
      warnings: [...warnings, ...whitelist.warnings, ...cuts],
    }
  } finally {
    await network.close()
  }
}

export function checkPrompt(prompt: string): void {
  if (prompt.trim() === "") {
    throw new YardError("usage", "the prompt is empty", { hint: "Say in a sentence what the server is for." })
  }
  if (prompt.length > MAX_PROMPT_CHARS) {
    throw new YardError("usage", `the prompt has ${prompt.length} characters; at most ${MAX_PROMPT_CHARS} are read`, {
      hint: "Put long documentation behind an address, and the address into the prompt.",
    })
  }
}

interface Reading {
  prompt: string
  readHtml: ReadHtml
  githubRaw: string
  signal: AbortSignal
}

async function readDocument(url: URL, network: DocumentFetch, reading: Reading): Promise<ReadDocument> {
  const { signal } = reading
  const fetched = await fetchFirst([...rawAddresses(url, reading.githubRaw), url], network, signal)
  const { text } = fetched
  const kind = fetched.isHtml ? undefined : describesApi(text)
  if (kind) return { description: { kind, url: fetched.url.href, text }, links: findUrls(text), candidates: [] }
  // What a page points to is followed for this one purpose, and no further than its own host or the prompt's.
  const hosts = [...promptHosts(reading.prompt), listedHost(fetched.url)]
  const mayFollow = (candidate: URL) => isListed(candidate, hosts) && candidate.href !== fetched.url.href
  const name = withoutSecrets(url)
  if (!fetched.isHtml) {
    const links = findUrls(text)
    const candidates = descriptionLinks(text, fetched.url, links).filter(mayFollow)
    return { page: { url: name, markdown: text.trim() }, links, candidates }
  }
  const { title, markdown, links, descriptions } = await reading.readHtml(text, fetched.url.href, signal)
  const candidates = descriptions.map(href => new URL(href)).filter(mayFollow)
  return { page: { url: name, title, markdown }, links: links.map(href => new URL(href)), candidates }
}

async function fetchFirst(urls: readonly URL[], network: DocumentFetch, signal: AbortSignal) {
  const started = performance.now()
  for (const url of urls) {
    if (performance.now() - started > MAX_SEARCH_MS) break
    const fetched = await network.fetch(url, signal)
    if (fetched) return fetched
  }
  throw new YardError("fetch_failed", "there is no such page (404)")
}

/** Descriptions that pages link to. One that is none, or can't be had, is no loss: the page itself is there. */
async function tryCandidates(
  read: readonly ReadDocument[],
  network: DocumentFetch,
  signal: AbortSignal,
): Promise<FoundDescription[]> {
  const candidates = new Map(read.flatMap(one => one.candidates).map(url => [url.href, url]))
  const tries = [...candidates.values()]
    .filter(isDescriptionName)
    .slice(0, MAX_CANDIDATES)
    .map(async url => {
      const fetched = await network.fetch(url, signal).catch(error => void reasonOf(error, signal))
      const kind = fetched && !fetched.isHtml ? describesApi(fetched.text) : undefined
      return fetched && kind ? [{ kind, url: fetched.url.href, text: fetched.text }] : []
    })
  return (await Promise.all(tries)).flat()
}

/** What to say of a document that could not be read; the end of the whole is not such a failure. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !(error instanceof YardError)) throw error
  return error.message
}
