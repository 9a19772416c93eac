/** Every name a tool goes by: its id on the wire, and what it and its types are called in TypeScript. */
import { createHash } from "node:crypto"

export interface ToolName {
  server: string
  tool: string
}

const MAX_ID = 64
const HASH_LENGTH = 6

/** `server__tool`: what every surface calls the tool. Too long, and a hash of the whole replaces its end. */
export function toolId(server: string, tool: string): string {
  const id = plainId(server, tool)
  return id.length <= MAX_ID ? id : hashedId(server, tool, 0)
}

/** One id for each tool, no two the same. Earlier tools keep theirs whatever comes after them. */
export function assignIds(tools: Iterable<ToolName>): string[] {
  const taken = new Set<string>()
  const ids: string[] = []
  for (const { server, tool } of tools) {
    let id = toolId(server, tool)
    for (let attempt = 0; taken.has(id); attempt++) id = hashedId(server, tool, attempt)
    taken.add(id)
    ids.push(id)
  }
  return ids
}

function plainId(server: string, tool: string): string {
  return `${toLegal(server)}__${toLegal(tool)}`
}

function toLegal(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/gu, "_")
}

function hashedId(server: string, tool: string, attempt: number): string {
  // NUL keeps ("a__b", "c") and ("a", "b__c") apart; the attempt matters only when one server lists a name twice.
  const original = `${server}\0${tool}${attempt === 0 ? "" : `\0${attempt}`}`
  const hash = createHash("sha256").update(original).digest("hex").slice(0, HASH_LENGTH)
  return `${plainId(server, tool).slice(0, MAX_ID - HASH_LENGTH - 1)}_${hash}`
}

const SEPARATORS = /[\s_\-./\\:,]+/u
const ILLEGAL = /[^\p{ID_Continue}$\s\-./\\:,]/gu
const LEGAL_START = /^[\p{ID_Start}$]/u
/** The capitals a name begins with, without the one that begins its second word: `URL` of `URLParser`. */
const LEADING_CAPITALS = /^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+/u

/** A name as a TypeScript property: words joined in camelCase, legal as an identifier, and unchanged if it already is. */
export function toCamel(name: string): string {
  let words = name.normalize("NFC").replace(ILLEGAL, "").split(SEPARATORS).filter(Boolean)
  // SEND_EMAIL has no case to keep.
  if (words.length > 1 && !words.some(word => /\p{Ll}/u.test(word))) words = words.map(word => word.toLowerCase())
  const [first = "", ...rest] = words
  const joined = first.replace(LEADING_CAPITALS, capitals => capitals.toLowerCase()) + rest.map(capitalize).join("")
  const camel = joined.normalize("NFC")
  return LEGAL_START.test(camel) ? camel : `_${camel}`
}

/** `GithubCreateIssueParams`; `server` and `tool` may be raw or already camelCase. */
export function toTypeName(server: string, tool: string, suffix: string): string {
  const name = [server, tool].map(part => capitalize(toCamel(part).replace(/^_/, ""))).join("") + suffix
  return LEGAL_START.test(name) ? name : `_${name}`
}

/** The TypeScript names of a list in its order: the first keeps the plain name, later clashes get 2, 3 … */
export function assignNames(names: Iterable<string>): string[] {
  return makeUnique(Array.from(names, toCamel))
}

/** The same for names that are legal already, such as those of types. */
export function makeUnique(names: Iterable<string>): string[] {
  const taken = new Set<string>()
  const last = new Map<string, number>()
  return Array.from(names, name => {
    let unique = name
    let count = last.get(name) ?? 1
    while (taken.has(unique)) unique = `${name}${++count}`
    last.set(name, count)
    taken.add(unique)
    return unique
  })
}

function capitalize(word: string): string {
  const [first = ""] = word
  return first.toUpperCase() + word.slice(first.length)
}
