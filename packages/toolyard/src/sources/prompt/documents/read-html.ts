/** Reads HTML in a thread that is ended when it takes too long or too much memory: the page may be made for that. */
import { Worker } from "node:worker_threads"
import { YardError } from "../../../model/errors.ts"
import type { HtmlPage } from "./html.ts"
import type { HtmlText } from "./html-worker.ts"

/** Beside this file in the sources, and beside the bundle when built. */
const ENTRY = import.meta.url.endsWith(".ts") ? "./html-worker.ts" : "./html-reader.js"
const MAX_MS = 20_000
const MAX_MEMORY_MB = 512

const AT_ONCE = 3

export type ReadHtml = typeof readHtml

/** Reads any number of pages, a few at a time: each takes a thread and memory. */
export function createHtmlReader(atOnce = AT_ONCE): ReadHtml {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (...args) => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await readHtml(...args)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

export function readHtml(html: string, url: string, signal: AbortSignal, timeoutMs = MAX_MS): Promise<HtmlPage> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(ENTRY, import.meta.url), {
      name: "toolyard-html",
      // What the hub was started with, and its secrets, are not meant for this thread.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    })
    let isReady = false
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const end = (outcome: () => void) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      // The thread is gone before anybody goes on; but one that is ended while it loads may never say so (Node 24).
      if (isReady) void worker.terminate().then(outcome)
      else outcome()
    }
    const fail = (reason: string) => end(() => reject(new YardError("fetch_failed", `the page ${reason}`)))
    const stop = () => end(() => reject(new YardError("cancelled", "reading the page was cancelled")))
    signal.addEventListener("abort", stop)
    if (signal.aborted) stop()
    worker.on("message", (said: HtmlPage | "ready") => {
      if (said !== "ready") return end(() => resolve(said))
      isReady = true
      if (isOver) return void worker.terminate()
      timer = setTimeout(() => fail(`could not be read within ${timeoutMs} ms`), timeoutMs)
      worker.postMessage({ html, url } satisfies HtmlText)
    })
    worker.once("error", error => fail(`could not be read: ${error.message}`))
    worker.once("exit", () => fail("could not be read"))
  })
}
