/** What a client carries from one round of questions to the next: signed, bound to its owner, and trusted only then. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"

const MAX_AGE_MS = 60 * 60 * 1000

export interface RequestStates {
  seal(payload: JsonObject, boundTo: string[]): string
  open(text: string, boundTo: string[]): JsonObject
}

export function createRequestStates(key: Buffer): RequestStates {
  const sign = (body: string, boundTo: string[]): string =>
    createHmac("sha256", key)
      .update(JSON.stringify([body, ...boundTo]))
      .digest("base64url")
  return {
    seal(payload, boundTo) {
      const body = Buffer.from(JSON.stringify({ ...payload, at: Date.now() })).toString("base64url")
      return `${body}.${sign(body, boundTo)}`
    },
    open(text, boundTo) {
      const dot = text.lastIndexOf(".")
      const [body, given] = [text.slice(0, dot), Buffer.from(text.slice(dot + 1))]
      const expected = Buffer.from(sign(body, boundTo))
      if (dot > 0 && given.length === expected.length && timingSafeEqual(given, expected)) {
        const payload: unknown = JSON.parse(Buffer.from(body, "base64url").toString("utf8"))
        if (isObject(payload) && typeof payload.at === "number" && Date.now() - payload.at <= MAX_AGE_MS) return payload
      }
      throw new YardError(
        "invalid_params",
        "requestState is not one that this hub gave out for this request, or it is too old",
        {
          hint: "Send the request again without requestState.",
        },
      )
    },
  }
}
