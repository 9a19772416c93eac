/** `toolyard repl`: scripts line by line, at a prompt or from a pipe. */
import { join } from "node:path"
import { createInterface, type Interface } from "node:readline"
import { YardError } from "../../../model/errors.ts"
import { type ClientOptions, whereOf, withClient } from "../client.ts"
import type { Context } from "../deps.ts"
import type { Prompt } from "../follow-run.ts"
import { complete, offeredBy } from "../repl/complete.ts"
import { isIncomplete } from "../repl/entry.ts"
import { MOST_LINES, readHistory, writeHistory } from "../repl/history.ts"
import { openSession, type Session } from "../repl/session.ts"

export interface ReplOptions extends Pick<ClientOptions, "config" | "json"> {
  readOnly?: boolean
}

const PROMPT = "> "
const MORE = "… "

export async function repl(context: Context, options: ReplOptions): Promise<number> {
  const { io, deps } = context
  const isTerminal = io.stdin.isTTY === true && io.outIsTerminal && !options.json
  const { root } = await deps.findFiles(whereOf(context, options))
  const file = join(root, ".toolyard", "repl-history")
  return withClient(context, { ...options, endsItself: true }, async client => {
    client.code.warm()
    await client.settle()
    const lines = createInterface({
      input: io.stdin,
      terminal: isTerminal,
      prompt: PROMPT,
      historySize: MOST_LINES,
      removeHistoryDuplicates: true,
      ...(isTerminal && { output: process.stdout, history: await readHistory(file) }),
      completer: (line: string, answer: (error: null, found: [string[], string]) => void) => {
        offeredBy(client).then(
          offered => answer(null, complete(line, offered, session.declared())),
          () => answer(null, [[], ""]),
        )
      },
    })
    let history: string[] = []
    lines.on("history", (all: string[]) => {
      history = [...all]
    })
    const prompt: Prompt | undefined = isTerminal
      ? (question, signal) => new Promise(resolve => lines.question(question, { signal }, resolve))
      : undefined
    const session = openSession({
      io,
      client,
      prompt,
      json: options.json === true,
      readOnly: options.readOnly === true,
    })
    if (isTerminal) io.out(io.paint.dim("TypeScript over your tools. .help says more, Ctrl-D leaves."))
    try {
      return await readEntries(context, lines, session, isTerminal)
    } finally {
      lines.close()
      if (isTerminal) await writeHistory(file, history)
    }
  })
}

/** The exit code of the last entry that failed, where nobody sat there to see it. */
async function readEntries({ signal, io }: Context, lines: Interface, session: Session, isTerminal: boolean) {
  let exit = 0
  let text = ""
  let running: AbortController | undefined
  const ask = (): void => {
    if (!isTerminal) return
    lines.setPrompt(text === "" ? PROMPT : MORE)
    lines.prompt()
  }
  const submit = async (): Promise<void> => {
    const entry = text
    text = ""
    running = new AbortController()
    const code = await session.enter(entry, AbortSignal.any([signal, running.signal]))
    running = undefined
    signal.throwIfAborted()
    if (code !== 0) exit = code
  }
  signal.addEventListener("abort", () => lines.close(), { once: true })
  // At a prompt Ctrl-C is a key: it ends the entry that runs, or forgets the one that is being typed.
  lines.on("SIGINT", () => {
    if (running) running.abort(new YardError("cancelled", "interrupted", { hint: "" }))
    else {
      if (text === "" && lines.line === "") io.err("\n(Ctrl-D leaves)")
      text = ""
      lines.write(null, { ctrl: true, name: "e" })
      lines.write(null, { ctrl: true, name: "u" })
      ask()
    }
  })
  ask()
  for await (const line of lines) {
    if (text === "" && line.trimStart().startsWith(".")) {
      if ((await session.command(line)) === "leave") break
    } else if (text !== "" && line.trim() === "") await submit()
    else {
      text = text === "" ? line : `${text}\n${line}`
      if (text.trim() === "") text = ""
      else if (!isIncomplete(text)) await submit()
    }
    ask()
  }
  signal.throwIfAborted()
  if (text !== "") await submit()
  return isTerminal ? 0 : exit
}
