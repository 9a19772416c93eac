/** Where a planned tool goes: its URL with placeholders, compared with what was sent, and found in the documentation. */

export interface Endpoint {
  method: string
  url: string
}

const PLACEHOLDER = /\{[+/?&#.;]?([\w.-]+)\*?\}/g

/** What a request lacks to be one to this endpoint with these arguments; nothing when it is one. */
export function differences(endpoint: Endpoint, args: Record<string, unknown>, sent: Endpoint): string[] {
  const { base, path, query } = split(endpoint.url)
  const url = new URL(sent.url)
  const found: string[] = []
  if (sent.method.toUpperCase() !== endpoint.method.toUpperCase()) {
    found.push(`the method is ${sent.method}, not ${endpoint.method.toUpperCase()}`)
  }
  if (base !== undefined && url.origin !== base) found.push(`it goes to ${url.origin}, not to ${base}`)
  const wanted = path.replace(/\/$/, "")
  const match = toPattern(wanted, "([^/]*)", "^", "/?$").exec(url.pathname)
  if (!match) return [...found, `the path is ${url.pathname}, not ${path || "/"}`]
  names(wanted).forEach((name, at) => {
    const value = args[name]
    const given = decode(match[at + 1] ?? "")
    if (isScalar(value) && given !== String(value))
      found.push(`{${name}} in the path is ${JSON.stringify(given)}, not ${JSON.stringify(String(value))}`)
  })
  for (const [key, template] of query) {
    const [name] = names(template)
    const value = name === undefined ? template : args[name]
    if (name !== undefined && !isScalar(value)) continue
    const given = url.searchParams.getAll(key)
    if (!given.includes(String(value))) {
      found.push(`the query has ${key}=${JSON.stringify(given.join(","))}, not ${JSON.stringify(String(value))}`)
    }
  }
  return found
}

/** Where a text speaks of the endpoint: by its whole path if it does at all, else by its last parts. */
export function mentions(text: string, endpointUrl: string): { start: number; end: number }[] {
  const { path } = split(endpointUrl)
  const parts = path.split("/").filter(part => part !== "")
  for (let from = 0; from < parts.length; from++) {
    const rest = parts.slice(from)
    // A lone placeholder would be found everywhere.
    if (rest.every(part => part.replace(PLACEHOLDER, "") === "")) break
    const pattern = toPattern(`/${rest.join("/")}`, "[^\\s/\"'`()?#|]+", "", "(?:/(?![\\w{:<-])|(?![\\w/-]))", "g")
    const found = [...text.matchAll(pattern)].map(({ index, 0: whole }) => ({
      start: index,
      end: index + whole.length,
    }))
    if (found.length > 0) return found
  }
  return []
}

function split(template: string): { base: string | undefined; path: string; query: [string, string][] } {
  const marked = template.replace(/\{\?([\w.,*-]+)\}/g, (_, list: string) => {
    return `?${list
      .split(",")
      .map(name => `${name.replace("*", "")}={${name.replace("*", "")}}`)
      .join("&")}`
  })
  const [address = "", search = ""] = marked.split("#")[0]?.split(/\?(.*)/s) ?? []
  const [, origin, path = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/]*)(.*)$/is.exec(address) ?? ["", undefined, address]
  const base =
    origin !== undefined && !origin.includes("{") && URL.canParse(origin) ? new URL(origin).origin : undefined
  const query = search
    .split("&")
    .filter(pair => pair.includes("="))
    .map((pair): [string, string] => [
      decode(pair.slice(0, pair.indexOf("="))),
      decode(pair.slice(pair.indexOf("=") + 1)),
    ])
  return { base, path, query }
}

function names(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name as string)
}

function toPattern(template: string, placeholder: string, before: string, after: string, flags = ""): RegExp {
  const literals = template.split(new RegExp(PLACEHOLDER.source.replace("(", "(?:")))
  return new RegExp(before + literals.map(part => literally(part)).join(placeholder) + after, flags)
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"))
  } catch {
    return text
  }
}
