/** The text of a description, JSON or YAML, as a value; what is no such text is refused with the line it goes wrong at. */
import { isAlias, LineCounter, parseDocument, visit } from "yaml"
import { YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"

/** The largest public descriptions have about 15 MB. */
export const MAX_BYTES = 64 * 1024 * 1024
/** The parser looks for each alias among all anchors before it: a few thousand are quick, a million take hours. */
const MAX_ALIASES = 5000

export function parseText(text: string, where: string): JsonObject {
  if (text.length > MAX_BYTES) {
    throw new YardError("payload_too_large", `${where} has ${Math.round(text.length / 1e6)} MB: too much to be read`, {
      hint: `A description may have ${MAX_BYTES / 1024 / 1024} MB.`,
    })
  }
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const value = /^\s*[[{]/.test(plain) ? parseJson(plain, where) : parseYaml(plain, where)
  if (!isObject(value)) throw unreadable(where, "it holds no object")
  return value
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // YAML may begin with a brace as well; what is neither is most likely JSON, so that error is the one to show.
    if (/^\s*\{\s*[^"\s}]/.test(text)) return parseYaml(text, where)
    const reason = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(reason)?.[1]
    if (position === undefined) throw unreadable(where, reason)
    const before = text.slice(0, Number(position)).split("\n")
    const what = reason.replace(/ (in JSON )?at position.*$/s, "")
    throw unreadable(where, `${what} at line ${before.length}, column ${before.at(-1)!.length + 1}`)
  }
}

function parseYaml(text: string, where: string): unknown {
  try {
    const lineCounter = new LineCounter()
    // Keys are not compared for being unique: that takes quadratic time, and the last one wins as in JSON.
    const document = parseDocument(text, { lineCounter, uniqueKeys: false, merge: true, logLevel: "silent" })
    const [error] = document.errors
    if (error) throw error
    let aliases = 0
    visit(document, (_, node) => {
      if (isAlias(node) && ++aliases > MAX_ALIASES) throw unreadable(where, `it has more than ${MAX_ALIASES} aliases`)
    })
    // Aliases become the same object, not a copy: many of them cost nothing here.
    return document.toJS({ maxAliasCount: -1 })
  } catch (error) {
    if (error instanceof YardError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw unreadable(where, reason.split("\n")[0]!.replace(/:$/, ""))
  }
}

function unreadable(where: string, reason: string): YardError {
  return new YardError("config_invalid", `${where} can't be read: ${reason}`, {
    hint: "Correct the description at that place, or give another one.",
  })
}
