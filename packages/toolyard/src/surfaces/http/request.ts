/** What comes with a request, read once: a body that is too large or not as it should be is refused by name. */
import type { Context } from "hono"
import { bodyLimit } from "hono/body-limit"
import * as z from "zod"
import { Call } from "../../model/call.ts"
import type { Caller, ReadOnly } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"

const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Stands before every route that takes a body. */
export const limitBody = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new YardError("payload_too_large", `the body has more than ${MAX_BODY_BYTES} bytes`)
  },
})

/** The body as an object; an empty one where nothing was sent. */
export async function readObject(context: Context, example: string): Promise<JsonObject> {
  const text = await context.req.text()
  let body: unknown
  try {
    body = text.trim() === "" ? {} : JSON.parse(text)
  } catch {
    // Said below, as of everything else that is no object.
  }
  if (!isObject(body)) throw new YardError("parse_error", "the body is not a JSON object", { hint: example })
  return body
}

/** The body as the schema has it, or a problem that names what is wrong in it. */
export async function readBody<T>(context: Context, schema: z.ZodType<T>, example: string): Promise<T> {
  const parsed = schema.safeParse(await readObject(context, example))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const at = issue?.path.join(".")
  throw new YardError("invalid_params", `${at ? `\`${at}\` ` : ""}${issue?.message}`, { hint: example })
}

const must = (what: string) => ({ error: `must be ${what}` })

/** The parts that bodies are made of, each with the words for when it is wrong. */
export const FIELD = {
  text: z.string(must("a string")).exactOptional(),
  flag: z.boolean(must("true or false")).exactOptional(),
  ms: z.int(must("a whole number of milliseconds")).min(0, must("a whole number of milliseconds")).exactOptional(),
  timeoutMs: z.int(must("a whole number above 0")).min(1, must("a whole number above 0")).exactOptional(),
  readOnly: z.union([z.boolean(), z.literal("strict")], must('true, false or "strict"')).exactOptional(),
  decision: z.enum(["approve", "always", "deny"], must('"approve", "always" or "deny"')),
}

/** An object with these keys and no others; one that is not known is named. */
export function defineBody<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: issue =>
      issue.code === "unrecognized_keys"
        ? `has ${issue.keys.map(key => `\`${key}\``).join(", ")}, which is not known`
        : undefined,
  })
}

/** A call on behalf of whoever sent the request. */
export function callOf(who: { client?: string; readOnly?: ReadOnly } = {}): Call {
  const { client, readOnly } = who
  const caller: Caller = {
    surface: "http",
    principal: "local",
    ...(readOnly !== undefined && { readOnly }),
    ...(client !== undefined && { client }),
  }
  return new Call(caller)
}

/** Does the work, which is given up when the client leaves before its answer. */
export async function whileConnected<T>(context: Context, call: Call, work: () => Promise<T>): Promise<T> {
  const { signal } = context.req.raw
  const leave = (): void => call.abort(new YardError("cancelled", "the client left"))
  signal.addEventListener("abort", leave, { once: true })
  try {
    return await work()
  } finally {
    signal.removeEventListener("abort", leave)
  }
}

export function wholeNumber(
  name: string,
  text: string | undefined,
  fallback: number,
  least: number,
  most: number,
): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < least || value > most)
    throw new YardError("invalid_params", `\`${name}\` must be a whole number from ${least} to ${most}`)
  return value
}
