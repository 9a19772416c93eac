/** The thread in which the compiler works. It answers one request after the other, in their order. */
import type { ChildProcess } from "node:child_process"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { type Compiler, startCompiler } from "./compiler.ts"
import type { Diagnostic } from "./diagnostic.ts"
import { diagnose } from "./hints.ts"
import { type InputSchema, readInputSchema } from "./input-schema.ts"
import type { ReadyScript } from "./prepare.ts"

export interface CheckRequest {
  id: number
  /** What is to be done with the script; without one, the compiler is only made ready. */
  task?: { kind: "check" | "schema"; script: ReadyScript }
  /** Declarations that differ from those of the request before. */
  changes: [server: string, text: string | undefined][]
}
export type CheckAnswer =
  | { process: number | undefined }
  | { id: number; diagnostics: Diagnostic[] }
  | { id: number; schema: InputSchema }
  | { id: number; error: string }

/** `given` is not 0 when nobody waits for this thread any more; a message would not be read in time. */
function serve(port: MessagePort, given: Int32Array): void {
  /** All that was declared so far, for a compiler that has to start anew. */
  const declared = new Map<string, string>()
  let compiler: Compiler | undefined
  let child: ChildProcess | undefined
  const answer = (message: CheckAnswer): void => port.postMessage(message)
  const isGivenUp = (): boolean => Atomics.load(given, 0) !== 0

  const start = (): Compiler => {
    compiler = startCompiler(started => {
      child = started
      answer({ process: started.pid })
      started.once("exit", () => {
        if (child === started) answer({ process: undefined })
      })
    })
    compiler.declare(declared)
    return compiler
  }

  const stop = (): void => {
    compiler?.close()
    compiler = undefined
  }

  const work = ({ id, task, changes }: CheckRequest): CheckAnswer => {
    const ready = compiler ?? start()
    ready.declare(changes)
    const project = ready.open(task?.script.checkSource ?? "")
    // Asked for nothing, too, the compiler reads and binds all declarations now instead of at the first script.
    if (!task) return { id, diagnostics: diagnose(project, undefined) }
    if (task.kind === "schema") return { id, schema: readInputSchema(project, task.script) }
    return { id, diagnostics: diagnose(project, task.script) }
  }

  const respond = (request: CheckRequest): void => {
    for (const [server, text] of request.changes) {
      if (text === undefined) declared.delete(server)
      else declared.set(server, text)
    }
    try {
      answer(work(request))
    } catch {
      // The compiler died, perhaps long ago: a new one gets the same request once.
      stop()
      if (isGivenUp()) return
      try {
        answer(work(request))
      } catch (error) {
        stop()
        answer({ id: request.id, error: error instanceof Error ? error.message : String(error) })
      }
    }
  }

  port.on("message", (request: CheckRequest | "close") => {
    if (request !== "close") {
      if (!isGivenUp()) respond(request)
      return
    }
    stop()
    // The thread goes when its compiler has gone.
    if (child && child.exitCode === null && child.signalCode === null) child.ref()
    port.close()
  })
}

if (parentPort) serve(parentPort, new Int32Array((workerData as { given: SharedArrayBuffer }).given))
