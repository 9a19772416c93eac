/** One document from the network as text, through the guard: never more of it than is wanted, and only what is text. */
import { YardError } from "../../../model/errors.ts"
import { type AllowList, allowList } from "../../../sandbox/fetch/allow-list.ts"
import { createGuardedFetch } from "../../../sandbox/fetch/guarded-fetch.ts"
import type { Resolve } from "../../../sandbox/fetch/hop.ts"
import type { FetchBody } from "../../../sandbox/fetch/message.ts"
import { promptHosts } from "./whitelist.ts"

export interface FetchedText {
  /** After all redirects. */
  url: URL
  isHtml: boolean
  text: string
}

export interface DocumentFetch {
  /** Gives undefined for what is not there (404, 410). */
  fetch(url: URL, signal: AbortSignal): Promise<FetchedText | undefined>
  close(): Promise<void>
}

export interface DocumentFetchOptions {
  timeoutMs?: number | undefined
  resolve?: Resolve | undefined
  /** Hosts of our own that are asked besides those of the prompt. */
  hosts?: readonly string[]
}

const MAX_PAGE_BYTES = 5_000_000
/** A description is used whole or not at all, and large ones are this large. */
const MAX_DATA_BYTES = 20_000_000
const DATA_FILE = /\.(?:json|ya?ml|graphqls?|har)$/i
const TEXT_TYPE =
  /^(?:text\/(?:plain|markdown|x-markdown|x-rst|x-yaml|yaml|vnd\.yaml|x-graphql)|application\/(?:json|yaml|x-yaml|vnd\.yaml|graphql|schema\+json|[\w.-]+\+(?:json|yaml)|vnd\.oai\.openapi))$/
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/
/** Said of anything by servers that don't know better. */
const UNKNOWN_TYPE = /^(?:|application\/octet-stream|binary\/octet-stream)$/
const ACCEPT = "text/markdown, application/json, application/yaml, text/html;q=0.9, text/plain;q=0.9, */*;q=0.1"

export function openDocumentFetch(prompt: string, options: DocumentFetchOptions = {}): DocumentFetch {
  const { timeoutMs = 15_000, resolve, hosts = [] } = options
  const limits = { timeoutMs, ...(resolve && { resolve }) }
  const pages = createGuardedFetch({ ...limits, maxBytes: MAX_PAGE_BYTES })
  const data = createGuardedFetch({ ...limits, maxBytes: MAX_DATA_BYTES })
  const allow = toAllowList(prompt, hosts)
  return {
    async fetch(url, signal) {
      const isData = DATA_FILE.test(url.pathname)
      const request = { url: url.href, headers: [["accept", ACCEPT]] as [string, string][] }
      const answer = await (isData ? data : pages).fetch(request, allow, signal).catch(error => {
        if (!(error instanceof YardError) || error.code !== "limit_result") throw error
        const size = (isData ? MAX_DATA_BYTES : MAX_PAGE_BYTES) / 1_000_000
        throw new YardError("fetch_failed", `it is larger than ${size} MB`)
      })
      if (answer.status === 404 || answer.status === 410) return undefined
      if (answer.status !== 200)
        throw new YardError("fetch_failed", `it answered ${answer.status} ${answer.statusText}`.trim())
      const type = answer.headers.find(([name]) => name === "content-type")?.[1] ?? ""
      return { url: new URL(answer.url), ...toText(answer.body, type) }
    },
    async close() {
      await Promise.all([pages.close(), data.close()])
    },
  }
}

/** What the prompt names may be internal; where that leads by redirects must be public. */
function toAllowList(prompt: string, hosts: readonly string[]): AllowList {
  const named = [...promptHosts(prompt), ...hosts].map(host => ({ host, from: "the prompt" }))
  return allowList([...named, { host: "*", from: "a redirect", publicOnly: true }], "the prompt")
}

function toText(body: FetchBody, contentType: string): { text: string; isHtml: boolean } {
  const [type = ""] = contentType.toLowerCase().split(";")
  const media = type.trim()
  const isText = TEXT_TYPE.test(media) || (UNKNOWN_TYPE.test(media) && "text" in body && !body.text.includes("\0"))
  if (!isText && !HTML_TYPE.test(media))
    throw new YardError("fetch_failed", `it is not text but ${media || "unknown data"}`)
  const text = decode(body, contentType)
    .replace(/^\ufeff/, "")
    .toWellFormed()
  const isHtml =
    HTML_TYPE.test(media) || /^\s*(?:<!--.{0,500}?-->\s*)?(?:<!doctype html|<html)[\s>]/is.test(text.slice(0, 1000))
  return { text, isHtml }
}

function decode(body: FetchBody, contentType: string): string {
  if ("text" in body) return body.text
  const bytes = Buffer.from(body.base64, "base64")
  const label = charsetIn(contentType) ?? charsetIn(bytes.toString("latin1", 0, 2000)) ?? "windows-1252"
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return bytes.toString("latin1")
  }
}

function charsetIn(text: string): string | undefined {
  return text.match(/charset\s*=\s*["']?([\w-]+)/i)?.[1]
}
