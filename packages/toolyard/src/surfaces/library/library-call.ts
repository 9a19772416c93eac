/** A call that a program makes: it hears of progress, answers what it said it can, and may leave at any time. */
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { ASK_CAPABILITY, type AskMethod } from "../../model/mcp.ts"
import type { AskHandler, AskHandlers, CallOptions } from "./types.ts"

export class LibraryCall extends Call {
  readonly #handlers: AskHandlers
  readonly #onProgress: CallOptions["onProgress"]

  constructor(caller: Caller, { onAsk = {}, onProgress, timeoutMs }: CallOptions) {
    const answered = Object.entries(onAsk).filter(([, handler]) => handler !== undefined)
    super(caller, Object.fromEntries(answered.map(([capability]) => [capability, {}])))
    this.#handlers = onAsk
    this.#onProgress = onProgress
    this.wantsProgress = onProgress !== undefined
    this.timeoutMs = timeoutMs
  }

  override progress(params: JsonObject): void {
    const tell = this.#onProgress
    // Apart from the server's connection, which must not suffer from what the program throws.
    if (tell) queueMicrotask(() => tell(params))
  }

  override async ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    const handler: AskHandler | undefined = this.#handlers[ASK_CAPABILITY[method] as keyof AskHandlers]
    return handler ? handler(params ?? {}, { signal }) : super.ask(method, params, signal)
  }
}

/** Does the work for a call that ends when the signal fires; a signal that lives long is left as it was. */
export async function whileWanted<T>(call: Call, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) return work()
  const leave = (): void => call.abort(new YardError("cancelled", "the call was cancelled", { cause: signal.reason }))
  if (signal.aborted) {
    leave()
    throw call.aborted
  }
  signal.addEventListener("abort", leave, { once: true })
  try {
    return await work()
  } finally {
    signal.removeEventListener("abort", leave)
  }
}
