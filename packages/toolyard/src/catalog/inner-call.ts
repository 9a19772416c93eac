/** A call that a tool makes while it works: for the same caller, under the same rules, and no longer than its own call. */
import { Call } from "../model/call.ts"
import { YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { AskMethod } from "../model/mcp.ts"

/** Tools that call each other in a circle come to an end here. */
const DEEPEST = 16

export async function callWithin<T>(outer: Call, work: (inner: Call) => Promise<T>): Promise<T> {
  const inner = new InnerCall(outer)
  const end = { onAbort: (reason: YardError): void => inner.abort(reason) }
  outer.onAbort(end)
  try {
    return await work(inner)
  } finally {
    outer.offAbort(end)
  }
}

class InnerCall extends Call {
  override readonly outer: Call
  // What the inner server reports shows that the outer one is at work, too.
  override wantsProgress = true

  constructor(outer: Call) {
    super(outer.caller, outer.capabilities)
    this.outer = outer
    this.logLevel = outer.logLevel
    let depth = 0
    for (let around: Call | undefined = outer; around; around = around.outer) depth++
    if (depth > DEEPEST)
      throw new YardError("overloaded", `tools call each other more than ${DEEPEST} deep`, {
        hint: "Does a tool call itself, directly or through others?",
      })
  }

  override progress(_params: JsonObject): void {
    this.outer.clock?.restart()
  }

  override notify(method: string, params: JsonObject | undefined): void {
    this.outer.notify(method, params)
  }

  override ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    return this.outer.ask(method, params, signal)
  }
}
