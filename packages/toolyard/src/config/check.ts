/** Checks a value against a part of the schema, in words a person can act on. */
import * as z from "zod"
import { isObject } from "../model/json.ts"
import { nearest } from "../model/nearest.ts"
import type { Path } from "./document.ts"
import { quote, type Report } from "./report.ts"

export type Checked<T> = { data: T } | { message: string }

/**
 * Reports everything that is wrong with `value`, which stands at `base`. Unknown keys are warned about and deleted
 * from `value`, which must therefore be a copy; anything else makes the value unusable.
 */
export function check<S extends z.ZodType>(schema: S, value: unknown, base: Path, report: Report): Checked<z.infer<S>> {
  const first = schema.safeParse(value)
  if (first.success) return { data: first.data }
  let message: string | undefined
  for (const issue of first.error.issues) {
    const path = [...base, ...issue.path]
    if (issue.code === "unrecognized_keys") {
      const holder = valueAt(value, issue.path)
      const known = keysAt(schema, issue.path)
      for (const key of issue.keys) {
        reportUnknown(report, path, key, known)
        if (isObject(holder)) delete holder[key]
      }
    } else {
      const { says, fix } = describe(issue, valueAt(value, issue.path))
      message ??= `\`${String(path.at(-1))}\` ${says}`
      report.error({ path, message: `\`${String(path.at(-1))}\` ${says}`, fix })
    }
  }
  if (message !== undefined) return { message }
  const second = schema.safeParse(value)
  return second.success ? { data: second.data } : { message: "it does not fit the schema" }
}

export function reportUnknown(report: Report, path: Path, key: string, known: readonly string[]): void {
  const near = nearest(key, known)
  const fix = near ? `Did you mean "${near}"?` : `Remove it. Known here: ${known.join(", ")}.`
  report.warning({ path: [...path, key], part: "key", message: `unknown key ${quote(key)} is ignored`, fix })
}

const EXPECTED: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
}

/** What a value is, in the words of the messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "an object"
  return typeof value === "boolean" ? "a boolean" : `a ${typeof value}`
}

function describe(issue: z.core.$ZodIssue, value: unknown): { says: string; fix: string } {
  if (value === undefined) return { says: "is missing", fix: "Add it." }
  switch (issue.code) {
    case "invalid_type": {
      const expected = EXPECTED[issue.expected] ?? issue.expected
      const quoted = issue.expected === "string" && ["number", "boolean"].includes(typeof value)
      return {
        says: `must be ${expected}${issue.expected === "int" ? "" : `, not ${kindOf(value)}`}`,
        fix: quoted ? "Put it in double quotes." : `Write ${expected}.`,
      }
    }
    case "too_small":
      if (issue.origin === "string") return { says: "must not be empty", fix: "Write something in it." }
      return { says: `must be ${issue.minimum} or more`, fix: `Write a number from ${issue.minimum} up.` }
    case "too_big":
      return { says: `must be ${issue.maximum} or less`, fix: `Write a number up to ${issue.maximum}.` }
    case "invalid_value": {
      const options = issue.values.map(option => JSON.stringify(option)).join(", ")
      const near = typeof value === "string" ? nearest(value, issue.values.map(String)) : undefined
      const says = issue.values.length === 1 ? `must be ${options}` : `must be one of ${options}`
      return { says, fix: near ? `Did you mean "${near}"?` : "Choose one of them." }
    }
    default:
      return { says: issue.message, fix: "Correct it as described." }
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => {
    if (Array.isArray(part)) return part[Number(step)]
    return isObject(part) && Object.hasOwn(part, step) ? part[String(step)] : undefined
  }, value)
}

/** The keys that the schema knows for the object at a path. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  let part: unknown = schema
  for (const step of path) {
    part = unwrap(part)
    if (part instanceof z.ZodObject) part = part.shape[String(step)]
    else if (part instanceof z.ZodRecord) part = part.valueType
    else if (part instanceof z.ZodArray) part = part.element
    else return []
  }
  part = unwrap(part)
  return part instanceof z.ZodObject ? Object.keys(part.shape) : []
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema
}
