/** What came back from a model: either what was asked for, or why it can't be used, in words for the model. */
import type * as z from "zod"
import { isObject } from "../../../model/json.ts"

export interface RawAnswer {
  text: string
  finishReason: string
}

export type Answer<T> = { value: T } | { fault: string }

const EMPTY = "the answer was empty"
const FAULTS: Partial<Record<string, string>> = {
  length: "the answer was cut off because it was too long",
  "content-filter": "the model refused to answer",
}
const MAX_PROBLEMS = 8

export function readAnswer<T>({ text, finishReason }: RawAnswer, schema: z.ZodType<T>): Answer<T> {
  const json = findJson(text)
  if (json === undefined)
    return { fault: FAULTS[finishReason] ?? (text.trim() === "" ? EMPTY : "the answer was not JSON") }
  const parsed = schema.safeParse(json.value)
  if (parsed.success) return { value: parsed.data }
  const problems = parsed.error.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    return `${path.length === 0 ? "the answer" : path.join(".")}: ${message}`
  })
  return { fault: `the answer did not fit the schema (${problems.join("; ")})` }
}

/** JSON as it is, or as small models like to give it: in a code block, or with words around it. */
function findJson(text: string): { value: unknown } | undefined {
  const fenced = text.match(/```(?:json)?\s*\n([\s\S]*?)\n\s*```/)?.[1]
  const braced = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)
  for (const candidate of [text, fenced, braced]) {
    if (candidate === undefined || candidate.trim() === "") continue
    try {
      const value: unknown = JSON.parse(candidate)
      if (isObject(value)) return { value }
    } catch {
      // Then it is in one of the other places, or nowhere.
    }
  }
  return undefined
}
