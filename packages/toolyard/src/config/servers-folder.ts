/** Files in the project's `servers` folder are servers too, named after the file, with no entry needed. */
import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import type { JsonObject } from "../model/json.ts"
import { quote, type Report } from "./report.ts"
import { nameProblem } from "./server-name.ts"

const MODULE = /\.[cm]?[jt]sx?$/i
/** What stands beside servers and is none: declarations, tests, private files. */
const NO_SERVER = /^[._]|\.d\.[cm]?ts$|\.(?:test|spec)\.[^.]+$|^(?:__init__|conftest)\.py$|~$/i
/** A description is looked for in so much of an executable. */
const HEAD_BYTES = 4096

export const serversFolder = (root: string): string => join(root, "servers")

/** Entries by name, as a person would have written them. */
export function findServerFiles(root: string, report: Report): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  const folder = serversFolder(root)
  for (const file of filesIn(folder)) {
    const path = join(folder, file)
    const entry = NO_SERVER.test(file) ? undefined : toEntry(path)
    if (!entry) continue
    const name = basename(file, extname(file))
    const fault = nameProblem(name)
    const twin = found.has(name)
    if (fault !== undefined || twin)
      report.warning({
        path: [],
        message: `${path} is not served: ${fault ?? `another file is named ${quote(name)} too`}`,
        fix: "Rename the file.",
      })
    else found.set(name, entry)
  }
  return found
}

function filesIn(folder: string): string[] {
  try {
    // By code units, not by the machine's language: the order of servers is the same everywhere.
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function toEntry(path: string): JsonObject | undefined {
  const stats = statOf(path)
  if (!stats?.isFile()) return undefined
  if (MODULE.test(path)) return { type: "module", file: path }
  if (/\.py$/i.test(path)) return { type: "python", file: path }
  if (process.platform === "win32" ? !/\.(?:exe|com)$/i.test(path) : (stats.mode & 0o111) === 0) return undefined
  const description = leadingComment(path)
  return {
    type: "command",
    command: path,
    args: ["{{args...}}"],
    stdin: "{{stdin?}}",
    parameters: {
      args: { type: "array", items: { type: "string" }, default: [], description: "Arguments of the program." },
      stdin: { type: "string", description: "What the program reads from its standard input." },
    },
    ...(description !== undefined && { description }),
  }
}

/** What a script says of itself in the comment that it begins with. */
function leadingComment(path: string): string | undefined {
  const lines = headOf(path).split(/\r?\n/)
  if (!lines[0]?.startsWith("#!")) return undefined
  const end = lines.findIndex((line, index) => index > 0 && !line.startsWith("#"))
  const comment = lines.slice(1, end === -1 ? undefined : end).map(line => line.replace(/^#+ ?/, ""))
  return comment.join("\n").trim() || undefined
}

function headOf(path: string): string {
  try {
    const file = openSync(path, "r")
    try {
      const bytes = Buffer.alloc(HEAD_BYTES)
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, HEAD_BYTES, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return ""
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
