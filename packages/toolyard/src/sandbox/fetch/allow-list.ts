/** Which hosts may be fetched from: the entries of `network`, read once and asked for every hop. */
import { isIPv6 } from "node:net"

export interface AllowEntry {
  /** `example.com`, `*.example.com`, `example.com:8443`, `127.0.0.1`, `[::1]`, `*`; a URL counts for its host. */
  host: string
  /** Where it was written, for messages: `sandbox.network`. */
  from: string
  /** True for what no person wrote, such as a link in a fetched page: it never opens an internal address. */
  publicOnly?: boolean
}

/** What allowed a host. `exact` when that very host was named, and so may be an internal one. */
export interface Allowed {
  entry: AllowEntry
  exact: boolean
}

export interface AllowList {
  /** The strongest entry for the host of this URL. */
  match(url: URL): Allowed | undefined
  /** Entries that name no host and therefore allow nothing. */
  readonly unusable: readonly AllowEntry[]
  /** Completes "to allow it, add the host to …". */
  readonly addTo: string
}

interface Rule {
  entry: AllowEntry
  kind: "all" | "below" | "domain"
  host: string
  port: string | undefined
}

const ADD_TO = "`sandbox.network`, or to `network` of the server it is for, in toolyard.json"

export function allowList(entries: readonly AllowEntry[], addTo = ADD_TO): AllowList {
  const rules: Rule[] = []
  const unusable: AllowEntry[] = []
  for (const entry of entries) {
    const rule = toRule(entry)
    if (rule) rules.push(rule)
    else unusable.push(entry)
  }
  return {
    unusable,
    addTo,
    match(url) {
      const host = hostOf(url)
      const port = url.port || (url.protocol === "https:" ? "443" : "80")
      let found: Allowed | undefined
      for (const rule of rules) {
        if (rule.port !== undefined && rule.port !== port) continue
        if (rule.kind === "domain" && rule.host === host && !rule.entry.publicOnly) {
          return { entry: rule.entry, exact: true }
        }
        if (!found && covers(rule, host)) found = { entry: rule.entry, exact: false }
      }
      return found
    },
  }
}

/** The host as rules compare it: the URL parser has seen to case, punycode and the odd spellings of addresses. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/\.$/, "")
}

function covers(rule: Rule, host: string): boolean {
  if (rule.kind === "all") return true
  if (rule.kind === "domain" && rule.host === host) return true
  return host.endsWith(`.${rule.host}`)
}

function toRule(entry: AllowEntry): Rule | undefined {
  const text = entry.host
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/[/?#\\].*$/s, "")
  const [, name = "", port] = isIPv6(text) ? ["", `[${text}]`] : (text.match(/^(.*?)(?::(\d{1,5}))?$/s) ?? [])
  if (name === "*") return { entry, kind: "all", host: "", port: toPort(port) }
  const below = name.startsWith("*.")
  const host = parseHost(below ? name.slice(2) : name)
  return host === undefined ? undefined : { entry, kind: below ? "below" : "domain", host, port: toPort(port) }
}

function toPort(digits: string | undefined): string | undefined {
  return digits === undefined ? undefined : String(Number(digits))
}

function parseHost(name: string): string | undefined {
  // Not for the URL parser: it takes `user@` and `*` for granted.
  if (name === "" || /[@*\s]/.test(name) || !URL.canParse(`http://${name}/`)) return undefined
  const url = new URL(`http://${name}/`)
  const host = hostOf(url)
  return host === "" || url.port !== "" ? undefined : host
}
