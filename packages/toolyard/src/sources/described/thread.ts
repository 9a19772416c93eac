/** Work on descriptions in a thread of its own: a large or hostile one costs neither the hub's time nor its memory. */
import { setTimeout as startTimer } from "node:timers"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { type ErrorCode, YardError } from "../../model/errors.ts"
import type { ThreadAnswer, ThreadJob } from "./worker.ts"

/** Beside this file in the sources, and beside the bundle when built. */
const ENTRY = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./describer.js"
const MAX_MEMORY_MB = 1024
const TIMEOUT_MS = 60_000
const GONE_MS = 1_000

/** The result as JSON text. */
export function runInThread(job: ThreadJob, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    if (signal.aborted) {
      fail(signal.reason)
      return
    }
    const worker = new Worker(new URL(ENTRY, import.meta.url), {
      name: "toolyard-describer",
      workerData: job,
      // What the hub was started with is not meant for this thread, nor what it knows.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    })
    let hasEnded = false
    const end = (settle: () => void): void => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      // A thread that is ended while it loads may never say that it is gone (Node 24): it is not waited for, for ever.
      worker.unref()
      void Promise.race([worker.terminate(), setTimeout(GONE_MS)]).then(settle, settle)
    }
    const wrong = (message: string): YardError =>
      new YardError("config_invalid", `the description could not be read: ${message}`, {
        hint: "Make it smaller, or take only a part of it.",
      })
    const stop = (): void => end(() => fail(signal.reason))
    const timer = startTimer(() => end(() => fail(wrong(`it took longer than ${TIMEOUT_MS / 1000} s`))), TIMEOUT_MS)
    signal.addEventListener("abort", stop)
    worker.once("message", (answer: ThreadAnswer) =>
      end(() => {
        if ("json" in answer) done(answer.json)
        else fail(new YardError(answer.code as ErrorCode, answer.message, { hint: answer.hint }))
      }),
    )
    worker.once("error", error => end(() => fail(wrong(error.message))))
    worker.once("exit", () => end(() => fail(wrong("it was too much"))))
  })
}
