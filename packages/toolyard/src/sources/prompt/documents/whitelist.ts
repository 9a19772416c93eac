/**
 * Which hosts a generated server may reach: those of the prompt's addresses, and those of the addresses in the pages it
 * names. The prompt may name what is inside; a page may not. Whether a name leads inside is seen for sure only when it
 * is connected to: the guard looks again.
 */
import { internalRange } from "../../../sandbox/fetch/address.ts"
import { allowList, hostOf } from "../../../sandbox/fetch/allow-list.ts"
import { findUrls } from "./urls.ts"

/** A page may hold any number; nobody reads a longer list. */
const MAX_PAGE_HOSTS = 1000
const INSIDE = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

export interface Whitelist {
  hosts: string[]
  warnings: string[]
}

/** The host as it is listed, with the port where there is one. */
export function listedHost(url: URL): string {
  return url.port === "" ? hostOf(url) : `${hostOf(url)}:${url.port}`
}

/** Hosts that the user named; they may be internal. */
export function promptHosts(prompt: string): string[] {
  return [...new Set(findUrls(prompt).map(listedHost))].sort()
}

export function toWhitelist(prompt: string, pageUrls: readonly URL[]): Whitelist {
  const own = promptHosts(prompt)
  const hosts = new Set(own)
  const inside = new Set<string>()
  let left = 0
  for (const url of pageUrls) {
    const host = listedHost(url)
    if (hosts.has(host)) continue
    if (isInside(url)) inside.add(host)
    else if (hosts.size - own.length < MAX_PAGE_HOSTS) hosts.add(host)
    else left++
  }
  const warnings: string[] = []
  if (inside.size > 0) {
    const named = [...inside].sort().slice(0, 5).join(", ")
    warnings.push(
      `internal addresses named by pages are not allowed (${named}); put them into the prompt to allow them`,
    )
  }
  if (left > 0) warnings.push(`the pages name more than ${MAX_PAGE_HOSTS} hosts; ${left} addresses were left out`)
  return { hosts: [...hosts].sort(), warnings }
}

/** Whether a URL's host is one of the list, or below one. */
export function isListed(url: URL, whitelist: readonly string[]): boolean {
  return allowList(whitelist.map(host => ({ host, from: "the prompt" }))).match(url) !== undefined
}

function isInside(url: URL): boolean {
  const host = hostOf(url)
  if (/^[\d.]+$/.test(host) || host.startsWith("[")) return internalRange(host) !== undefined
  // A single label is a name of the local network, or a whole top-level domain.
  return !host.includes(".") || INSIDE.test(host)
}
