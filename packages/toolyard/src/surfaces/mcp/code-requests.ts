/** What agents send to the tools of code mode, read with care: every mistake is named. */
import type { ExecuteOptions, ResumeOptions } from "../../code/code-mode.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { nearest } from "../../model/nearest.ts"
import type { Decision, RunRequest } from "../../model/run.ts"

const LONGEST_MS = 24 * 60 * 60 * 1000
const DECISIONS = ["approve", "always", "deny"]
const MOST_FOUND = 100

export const CodeRequests = {
  search(args: JsonObject): { query: string; options: { server?: string; limit?: number; offset?: number } } {
    const read = reader("search", args, ["query", "server", "limit", "offset"])
    const query = read.text("query")
    if (query === undefined) throw read.wrong("query", "is needed: words that say what the tool should do")
    const [server, limit, offset] = [
      read.text("server"),
      read.whole("limit", 1, MOST_FOUND),
      read.whole("offset", 0, 1_000_000),
    ]
    return {
      query,
      options: {
        ...(server !== undefined && { server }),
        ...(limit !== undefined && { limit }),
        ...(offset !== undefined && { offset }),
      },
    }
  },

  execute(args: JsonObject): { request: RunRequest; options: ExecuteOptions } {
    const known = ["code", "script", "input", "readOnly", "timeoutMs", "background", "check", "saveAs", "waitMs"]
    const read = reader("execute", args, known)
    const [code, script, saveAs] = [read.text("code"), read.text("script"), read.text("saveAs")]
    if ((code === undefined) === (script === undefined))
      throw read.wrong(code === undefined ? "code" : "script", "exactly one of `code` and `script` is needed")
    const { readOnly, background } = args
    if (readOnly !== undefined && typeof readOnly !== "boolean" && readOnly !== "strict")
      throw read.wrong("readOnly", 'must be true, false or "strict"')
    if (typeof background === "number") read.whole("background", 0, LONGEST_MS)
    else if (background !== undefined && typeof background !== "boolean")
      throw read.wrong("background", "must be true, false or a number of ms")
    const check = read.flag("check")
    const [timeoutMs, waitMs] = [read.whole("timeoutMs", 1, LONGEST_MS), read.whole("waitMs", 0, LONGEST_MS)]
    return {
      request: {
        ...(code !== undefined && { code }),
        ...(script !== undefined && { script }),
        ...(args.input !== undefined && { input: args.input }),
        ...(readOnly !== undefined && { readOnly }),
        ...(background !== undefined && { background }),
        ...(check !== undefined && { check }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(saveAs !== undefined && { saveAs }),
      },
      options: { ...(waitMs !== undefined && { waitMs }) },
    }
  },

  resume(args: JsonObject): { runId: string; options: ResumeOptions } {
    const read = reader("resume", args, ["runId", "decision", "reason", "waitMs", "cancel"])
    const runId = read.text("runId")
    if (runId === undefined) throw read.wrong("runId", "is needed: execute gives it")
    const [decision, reason, cancel] = [read.text("decision"), read.text("reason"), read.flag("cancel")]
    if (decision !== undefined && !DECISIONS.includes(decision))
      throw read.wrong("decision", `must be one of ${DECISIONS.join(", ")}`)
    const waitMs = read.whole("waitMs", 0, LONGEST_MS)
    return {
      runId,
      options: {
        ...(decision !== undefined && { decision: decision as Decision }),
        ...(reason !== undefined && { reason }),
        ...(cancel !== undefined && { cancel }),
        ...(waitMs !== undefined && { waitMs }),
      },
    }
  },
}

function reader(tool: string, args: JsonObject, known: string[]) {
  const wrong = (key: string, what: string): YardError => {
    return new YardError("invalid_arguments", `\`${key}\` of ${tool}: ${what}`)
  }
  for (const key of Object.keys(args)) {
    if (known.includes(key)) continue
    const near = nearest(key, known)
    throw wrong(key, `is not known${near ? `; did you mean \`${near}\`?` : ""}`)
  }
  return {
    wrong,
    text(key: string): string | undefined {
      const value = args[key]
      if (value === undefined || typeof value === "string") return value
      throw wrong(key, "must be a string")
    },
    flag(key: string): boolean | undefined {
      const value = args[key]
      if (value === undefined || typeof value === "boolean") return value
      throw wrong(key, "must be true or false")
    },
    whole(key: string, least: number, most: number): number | undefined {
      const value = args[key]
      if (value === undefined) return undefined
      if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value
      throw wrong(key, `must be a whole number from ${least} to ${most}`)
    },
  }
}
