/** One run of a handler in the sandbox: it is given its arguments and a `fetch`, and nothing else of the yard. */
import { randomInt } from "node:crypto"
import { toYardError, YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import { DEFAULT_LIMITS, type RunLimits } from "../../../model/run.ts"
import type { FetchRequest, FetchResponse } from "../../../sandbox/fetch/message.ts"
import type { Sandbox, SandboxEnd } from "../../../sandbox/sandbox.ts"
import { originalPosition, type ReadyScript } from "../../../sandbox/typescript/prepare.ts"

export interface HandlerRun {
  script: ReadyScript
  args: JsonObject
  fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchResponse>
  log?(level: string, text: string): void
  limits?: Partial<RunLimits>
  signal: AbortSignal
}

export type HandlerEnd =
  /** `undefined` when it gave nothing. */
  { how: "value"; value: unknown } | { how: "error"; name: string; message: string; code?: string; line?: number }

const LONGEST_TIMER = 2_147_483_647

/** Rejects only when `signal` fires, with its reason. */
export function runHandler(sandbox: Sandbox, run: HandlerRun): Promise<HandlerEnd> {
  const { script, args, signal } = run
  const limits: RunLimits = { ...DEFAULT_LIMITS, ...run.limits }
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const ended = new AbortController()
    const timers = new Set<NodeJS.Timeout>()
    const finish = (settle: () => void): void => {
      if (ended.signal.aborted) return
      ended.abort(new YardError("cancelled", "the handler has ended"))
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener("abort", leave)
      settle()
    }
    const leave = (): void => {
      finish(() => reject(signal.reason))
      running.stop()
    }
    const late = (): void => {
      const message = `it took more than ${limits.timeoutMs} ms`
      finish(() => resolve({ how: "error", name: "limit", message, code: "limit_time" }))
      running.stop()
    }
    const answer = (id: number, work: Promise<string>): void => {
      work.then(
        json => running.answer(id, json),
        (error: unknown) => {
          const { message, code, data, hint } = toYardError(error)
          running.fail(id, JSON.stringify({ message: hint ? `${message}. ${hint}` : message, code, data }))
        },
      )
    }
    const running = sandbox.start(
      { code: script.js, input: JSON.stringify(args), limits, seed: randomInt(1, LONGEST_TIMER) },
      {
        call(id, kind, payload) {
          if (kind === "timer") {
            const ms = Math.min(LONGEST_TIMER, Math.max(0, Number(payload) || 0))
            timers.add(setTimeout(() => running.answer(id, ""), ms))
          } else if (kind === "fetch") {
            answer(
              id,
              run.fetch(JSON.parse(payload) as FetchRequest, ended.signal).then(found => JSON.stringify(found)),
            )
          } else {
            const refused = new YardError("denied", `a generated handler has no \`${kind}\``, { hint: "" })
            answer(id, Promise.reject(refused))
          }
        },
        log: (level, text) => run.log?.(level, text),
        ended: end => finish(() => resolve(toEnd(end, script, limits))),
      },
    )
    timers.add(setTimeout(late, limits.timeoutMs))
    signal.addEventListener("abort", leave)
  })
}

function toEnd(end: SandboxEnd, script: ReadyScript, limits: RunLimits): HandlerEnd {
  if (end.how === "value") return { how: "value", value: end.json === "" ? undefined : JSON.parse(end.json) }
  if (end.how === "crashed") return { how: "error", name: "crash", message: end.message, code: "sandbox_crashed" }
  if (end.how === "stopped") return { how: "error", name: "limit", ...stoppedBy(end.reason, limits) }
  const { name, message, stack, tool } = JSON.parse(end.json) as Record<string, unknown>
  const line = typeof stack === "string" ? lineOf(stack, script) : undefined
  const code = Array.isArray(tool) && typeof tool[2] === "string" ? tool[2] : undefined
  return {
    how: "error",
    name: typeof name === "string" ? name : "",
    message: typeof message === "string" ? message : "",
    ...(code !== undefined && { code }),
    ...(line !== undefined && { line }),
  }
}

function stoppedBy(reason: string, limits: RunLimits): { message: string; code: string } {
  switch (reason) {
    case "limit_cpu":
      return { message: `it computed for more than ${limits.cpuMs} ms`, code: reason }
    case "memory":
    case "limit_memory":
      return { message: `it needed more than ${limits.memoryMb} MB of memory`, code: "limit_memory" }
    case "limit_logs":
      return { message: `it logged more than ${limits.maxLogBytes} bytes`, code: reason }
    case "limit_result":
      return { message: `what it gave has more than ${limits.maxResultBytes} bytes`, code: reason }
    default:
      return { message: `it broke its virtual machine (${reason || "no reason is known"})`, code: "sandbox_crashed" }
  }
}

function lineOf(stack: string, script: ReadyScript): number | undefined {
  for (const [, line, column] of stack.matchAll(/script:(\d+):(\d+)/g)) {
    const place = originalPosition(script, { line: Number(line), column: Number(column) })
    if (place) return place.line
  }
  return undefined
}
