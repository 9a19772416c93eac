/** Answers a 2026-07-28 server's `input_required` for a caller that can be asked but can't take such a result itself. */

import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { isAskMethod } from "../../model/mcp.ts"

const MAX_ROUNDS = 32

export async function answerInput(
  method: string,
  first: JsonObject,
  call: Call,
  send: (input: Call["input"]) => Promise<JsonObject>,
): Promise<JsonObject> {
  let result = first
  for (let round = 0; result.resultType === "input_required"; round++) {
    if (round === MAX_ROUNDS) throw new YardError("upstream_bad_reply", `${method} asked for input ${MAX_ROUNDS} times`)
    const requests = isObject(result.inputRequests) ? result.inputRequests : {}
    const answers = await Promise.all(
      Object.entries(requests).map(async ([key, request]) => [key, await answer(request, call)] as const),
    )
    const state = typeof result.requestState === "string" ? result.requestState : undefined
    if (answers.length === 0 && state === undefined) {
      throw new YardError("upstream_bad_reply", `${method} asked for input without saying which`)
    }
    result = await send({ responses: Object.fromEntries(answers), ...(state !== undefined && { state }) })
  }
  return result
}

async function answer(request: unknown, call: Call): Promise<JsonObject> {
  const { method, params } = isObject(request) ? request : {}
  if (typeof method !== "string" || !isAskMethod(method)) {
    throw new YardError(
      "upstream_bad_reply",
      `the server asked for ${JSON.stringify(method)}, which is no question of the protocol`,
    )
  }
  call.wait(true)
  try {
    return await call.ask(method, isObject(params) ? params : undefined, call.signal)
  } finally {
    call.wait(false)
  }
}
