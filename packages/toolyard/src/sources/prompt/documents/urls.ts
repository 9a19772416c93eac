/** Web addresses as people write them in sentences, Markdown, JSON and code. */

/** What ends an address: space, the middle of a Markdown link, what can't be in one, and the quotes and punctuation of other scripts. */
const ADDRESS =
  /https?:\/\/(?:(?!\]\()[^\s<>"'`|\\^\u00ab\u00bb\u2018-\u201f\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u0000-\u001f])+/gi
const OTHER_SCHEME = /(?<![a-z0-9+.-])(?!https?:)[a-z][a-z0-9+.-]{1,30}:\/\/[^\s<>"'`)\]]{1,2000}/gi
/** A host that is none is a placeholder: `https://{tenant}.example`. */
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/
/** Longer ones are data, not places. */
const MAX_LENGTH = 4000

/** Every http(s) address in the text, once, in order. */
export function findUrls(text: string): URL[] {
  const found = new Map<string, URL>()
  for (const [match] of text.replaceAll("\\/", "/").matchAll(ADDRESS)) {
    if (match.length > MAX_LENGTH) continue
    const address = trimAddress(match)
    if (!URL.canParse(address)) continue
    const url = new URL(address)
    if (HOST.test(url.hostname) && !found.has(url.href)) found.set(url.href, url)
  }
  return [...found.values()]
}

/** Addresses that are not fetched because of their scheme, as written. */
export function findOtherAddresses(text: string): string[] {
  return [...new Set([...text.matchAll(OTHER_SCHEME)].map(([match]) => trimAddress(match)))]
}

/** `https://api.example/items/{id}`: tells where calls go, but there is no page to read. */
export function isTemplate(url: URL): boolean {
  return /[{}]|%7b|\/:[a-z_]|\/<|%3c/i.test(url.pathname + url.search)
}

/** For messages: an address may hold a password. */
export function withoutSecrets(url: URL): string {
  if (url.username === "" && url.password === "") return url.href
  const plain = new URL(url)
  plain.username = ""
  plain.password = ""
  return plain.href
}

/** Without what the sentence around it added: punctuation, and brackets that were opened before it. */
function trimAddress(text: string): string {
  const open = { ")": surplus(text, "(", ")"), "]": surplus(text, "[", "]"), "}": surplus(text, "{", "}") }
  let end = text.length
  for (; end > 0; end--) {
    const last = text[end - 1]!
    if (/[.,;:!?*_~\u2026]/.test(last)) continue
    if (last !== ")" && last !== "]" && last !== "}") break
    if (open[last] <= 0) break
    open[last]--
  }
  return text.slice(0, end)
}

/** How many more closing brackets there are than opening ones. */
function surplus(text: string, opening: string, closing: string): number {
  return text.split(closing).length - text.split(opening).length
}
