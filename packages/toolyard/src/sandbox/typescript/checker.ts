/** Checks scripts against the tools' declarations, in a thread of its own; what was checked once is remembered. */
import { hash } from "node:crypto"
import { Worker } from "node:worker_threads"
import { YardError } from "../../model/errors.ts"
import type { Declarations } from "./ambient.ts"
import type { CheckAnswer, CheckRequest } from "./check-worker.ts"
import type { Diagnostic } from "./diagnostic.ts"
import type { InputSchema } from "./input-schema.ts"
import { createMemory } from "./memory.ts"
import { type PreparedScript, prepareScript, type ReadyScript } from "./prepare.ts"

export interface Checker {
  /** `prepareScript`, remembered. */
  prepare(code: string): PreparedScript
  /** Starts the compiler and lets it read the declarations, so that the first check is quick. */
  warm(declarations: Declarations): Promise<void>
  /** Everything that is wrong with the script; nothing when it is right. A refused script gives its problems. */
  check(script: PreparedScript, declarations: Declarations): Promise<Diagnostic[]>
  /** JSON Schema of the script's input, by its types. */
  inputSchemaOf(script: ReadyScript, declarations: Declarations): Promise<InputSchema>
  /** Resolves when the compiler's process is gone. */
  close(): Promise<void>
}

export interface CheckerOptions {
  /** How long one script may take. */
  timeoutMs?: number
}

interface Waiting {
  resolve(answer: CheckAnswer): void
  reject(error: YardError): void
}

/** The thread, what it knows and what it owes. */
interface Thread {
  worker: Worker
  /** Read by the thread: not 0 when it is given up. */
  given: Int32Array
  /** The declarations that it has. */
  sent: Declarations
  waiting: Map<number, Waiting>
  /** The compiler's process. */
  pid: number | undefined
  timer: NodeJS.Timeout | undefined
  ended: Promise<void>
}

/** Beside this file in the sources, and beside the bundle when built. */
const ENTRY = import.meta.url.endsWith(".ts") ? "./check-worker.ts" : "./checker.js"
const REMEMBERED = 256
const HINT = "Try again, or run the script without the type check (`check: false`, `--no-check`)."

export function openChecker({ timeoutMs = 10_000 }: CheckerOptions = {}): Checker {
  const prepared = createMemory<PreparedScript>(REMEMBERED)
  const checked = createMemory<Promise<Diagnostic[]>>(REMEMBERED)
  let thread: Thread | undefined
  let closed = false
  let lastId = 0

  const start = (): Thread => {
    const given = new SharedArrayBuffer(4)
    const worker = new Worker(new URL(ENTRY, import.meta.url), {
      name: "toolyard-checker",
      workerData: { given },
      // What the hub was started with is not meant for this thread.
      execArgv: [],
    })
    // Nothing keeps running for the sake of the compiler alone; a check that is awaited does.
    worker.unref()
    const made: Thread = {
      worker,
      given: new Int32Array(given),
      sent: { version: "", files: new Map() },
      waiting: new Map(),
      pid: undefined,
      timer: undefined,
      ended: new Promise(resolve => worker.once("exit", () => resolve())),
    }
    worker.on("message", (answer: CheckAnswer) => take(made, answer))
    worker.on("error", error =>
      drop(made, new YardError("internal", `the type check failed: ${error}`, { hint: HINT })),
    )
    worker.on("exit", () => drop(made, new YardError("internal", "the type check ended", { hint: HINT })))
    return made
  }

  const take = (from: Thread, answer: CheckAnswer): void => {
    if ("process" in answer) {
      from.pid = answer.process
      return
    }
    const waiting = from.waiting.get(answer.id)
    from.waiting.delete(answer.id)
    watch(from)
    if ("error" in answer)
      waiting?.reject(new YardError("internal", `the type check failed: ${answer.error}`, { hint: HINT }))
    else waiting?.resolve(answer)
  }

  /** The time counts for the request that is being worked on, which is the oldest. */
  const watch = (watched: Thread): void => {
    clearTimeout(watched.timer)
    if (watched.waiting.size === 0) {
      watched.worker.unref()
      return
    }
    watched.worker.ref()
    watched.timer = setTimeout(() => {
      const message = `the type check took longer than ${timeoutMs} ms`
      drop(watched, new YardError("timeout", message, { hint: HINT }))
    }, timeoutMs)
  }

  /** Gives a thread up with all that waits for it; the next check starts another. It goes when its compiler has gone. */
  const drop = (dropped: Thread, reason: YardError): void => {
    if (thread === dropped) thread = undefined
    clearTimeout(dropped.timer)
    for (const waiting of dropped.waiting.values()) waiting.reject(reason)
    dropped.waiting.clear()
    Atomics.store(dropped.given, 0, 1)
    endProcess(dropped.pid)
    dropped.pid = undefined
    dropped.worker.postMessage("close")
  }

  const ask = (task: CheckRequest["task"], declarations: Declarations): Promise<CheckAnswer> => {
    if (closed) return Promise.reject(new YardError("cancelled", "the checker is closed"))
    thread ??= start()
    const asked = thread
    const changes = differences(asked.sent, declarations)
    if (asked.sent.version !== declarations.version)
      asked.sent = { version: declarations.version, files: new Map(declarations.files) }
    return new Promise((resolve, reject) => {
      const id = ++lastId
      asked.waiting.set(id, { resolve, reject })
      if (asked.waiting.size === 1) watch(asked)
      asked.worker.postMessage({ id, task, changes } satisfies CheckRequest)
    })
  }

  const checkNow = async (script: ReadyScript, declarations: Declarations): Promise<Diagnostic[]> => {
    const answer = await ask({ kind: "check", script }, declarations)
    return "diagnostics" in answer ? answer.diagnostics : []
  }

  return {
    prepare: code => prepared.remember(hash("sha1", code), () => prepareScript(code)),
    async warm(declarations) {
      await ask(undefined, declarations)
    },
    check(script, declarations) {
      if (!script.ok) return Promise.resolve(script.problems)
      const key = `${declarations.version} ${hash("sha1", script.code)}`
      const result = checked.remember(key, () => checkNow(script, declarations))
      // A failure of ours says nothing of the script.
      result.catch(() => checked.forget(key))
      return result
    },
    async inputSchemaOf(script, declarations) {
      const answer = await ask({ kind: "schema", script }, declarations)
      return "schema" in answer ? answer.schema : { schema: { type: "object" } }
    },
    async close() {
      closed = true
      const last = thread
      if (!last) return
      last.worker.ref()
      drop(last, new YardError("cancelled", "the checker is closed"))
      await last.ended
    },
  }
}

function differences(before: Declarations, after: Declarations): CheckRequest["changes"] {
  if (before.version === after.version) return []
  const gone = [...before.files.keys()].filter(name => !after.files.has(name))
  const changed = [...after.files].filter(([name, text]) => before.files.get(name) !== text)
  return [...changed, ...gone.map((name): [string, undefined] => [name, undefined])]
}

/** A thread that waits for its compiler can't be ended before the compiler is. */
function endProcess(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It was gone already.
  }
}
