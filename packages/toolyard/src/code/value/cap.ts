/** What a model is given of a value: all of it, or a view that is cut openly while the whole is kept as a blob. */
import { YardError } from "../../model/errors.ts"
import { estimateTokens } from "../../model/tokens.ts"
import type { Blobs } from "../../state/types.ts"
import { shorten } from "./shorten.ts"

export interface Overflow {
  cid: string
  /** `cid://…`, where the whole can be read. */
  uri: string
  /** In bytes. */
  size: number
}

/** Longer than any text of so few tokens, blanks aside: there is no need to look closer. */
const MAX_CHARS_PER_TOKEN = 40
/** The estimate of the parts and that of the whole differ a little; each try aims lower. */
const TRIES = 8
const AIM = 0.85

export async function capForModel(
  value: unknown,
  { maxTokens, blobs }: { maxTokens: number; blobs: Blobs },
): Promise<{ value: unknown; overflow?: Overflow }> {
  const text = toJson(value)
  if (text === undefined || fits(text, maxTokens)) return { value }
  const { cid, size } = await blobs.put(text, { mediaType: "application/json" })
  return { value: viewOf(value, maxTokens), overflow: { cid, uri: `cid://${cid}`, size } }
}

function viewOf(value: unknown, maxTokens: number): unknown {
  let budget = maxTokens
  for (let i = 0; i < TRIES; i++) {
    const view = shorten(value, budget)
    if (fits(JSON.stringify(view), maxTokens)) return view
    budget = Math.floor(budget * AIM)
  }
  return shorten(value, 0)
}

function fits(text: string, maxTokens: number): boolean {
  return text.length <= maxTokens * MAX_CHARS_PER_TOKEN && estimateTokens(text) <= maxTokens
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new YardError("limit_result", "the value is nested too deeply to be passed on", {
      cause,
      hint: "Return plain data, less deeply nested.",
    })
  }
}
