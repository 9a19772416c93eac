/** One sitting at the prompt: what was declared, what each entry gives, and the commands that begin with a dot. */
import { toYardError } from "../../../model/errors.ts"
import { isObject } from "../../../model/json.ts"
import type { RunReport } from "../../../model/run.ts"
import type { YardClient } from "../client.ts"
import { settleFor } from "../commands/types.ts"
import { followRun, type Prompt } from "../follow-run.ts"
import type { Io } from "../io.ts"
import { printError } from "../print-error.ts"
import { printReport } from "../run-report.ts"
import { harmless, indent } from "../text.ts"
import { COMMANDS } from "./complete.ts"
import { type Entry, toEntry, toTyped } from "./entry.ts"

export interface SessionOptions {
  io: Io
  client: YardClient
  json: boolean
  readOnly: boolean
  prompt: Prompt | undefined
}

export interface Session {
  /** The names that an entry may use. */
  declared(): string[]
  /** Runs one entry to its end, and gives the exit code that `run` would have. */
  enter(text: string, signal: AbortSignal): Promise<number>
  /** Does what a line that begins with a dot asks for. */
  command(line: string): Promise<"stay" | "leave">
}

export const HELP = `Every entry is a TypeScript script of its own; its value is printed, and is _ in the next one.
What const and let declare is remembered as long as it is JSON; functions and classes are not.
An entry goes on while something in it is open; an empty line ends it as it is.
  .types [SERVER[.TOOL]]   the declarations
  .search WORDS            tools by what they do
  .help                    this
  .exit                    leave (also Ctrl-D)`

export function openSession({ io, client, json, readOnly, prompt }: SessionOptions): Session {
  const memory = new Map<string, unknown>()
  const { code } = client

  /** Takes the report apart: what is remembered goes into the memory, and the value is the entry's own. */
  function remember(report: RunReport, { declares }: Entry): RunReport {
    const { value: given, ...rest } = report
    let value = given
    if (declares.length > 0) {
      const { value: own, kept } = given as { value?: unknown; kept?: unknown }
      value = own
      for (const name of declares) {
        if (isObject(kept) && Object.hasOwn(kept, name)) memory.set(name, kept[name])
        else {
          memory.delete(name)
          if (!json) io.err(io.paintErr.dim(`${name} is not JSON, and is not remembered`))
        }
      }
    }
    if (value !== undefined) memory.set("_", value)
    return { ...rest, ...(value !== undefined && { value }) }
  }

  async function run(text: string, signal: AbortSignal): Promise<number> {
    const entry = toEntry(text, memory)
    const { linesBefore, forgets } = entry
    const request = {
      code: entry.code,
      ...(entry.input && { input: entry.input }),
      ...(readOnly && { readOnly: true }),
    }
    const report = await followRun({ io, code, signal, shows: !json, ...(prompt && { prompt }) }, request)
    const shown = report.status === "completed" ? remember(report, entry) : report
    if (forgets.length > 0 && !json)
      io.err(io.paintErr.dim(`${forgets.join(", ")}: functions and classes are not remembered`))
    return printReport(io, { ...shown, ...(shown.error && { error: toTyped(shown.error, linesBefore) }) }, { json })
  }

  return {
    declared: () => [...memory.keys()],
    // One entry that fails is no reason to leave.
    enter: (text, signal) => run(text, signal).catch((error: unknown) => printError(toYardError(error), io, json)),
    async command(line) {
      const [name = "", ...words] = line.trim().split(/\s+/)
      try {
        if (name === ".exit") return "leave"
        if (name === ".help") io.out(HELP)
        else if (name === ".types") {
          const { about } = await settleFor(client, words[0])
          io.out(harmless(await code.types(about)).trimEnd())
        } else if (name === ".search") {
          const found = await client.search(words.join(" "), { limit: 8 })
          for (const { id, signature } of found) io.out(`${id}\n${indent(harmless(signature))}`)
          if (found.length === 0) io.err("Nothing fits.")
        } else io.err(`There is no ${name}; there are ${COMMANDS.join(", ")}.`)
      } catch (error) {
        printError(error, io, json)
      }
      return "stay"
    },
  }
}
