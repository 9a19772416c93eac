/** What the writers of JSON Schema share while one schema, or several with the same `$defs`, are written. */
import type { Checker, Type } from "typescript/unstable/sync"
import type { JsonObject } from "../../model/json.ts"

/**
 * `arguments`: exactly the JSON that TypeScript accepts as a literal, so objects are closed, and what is no JSON (a
 * `Date` …) is marked for whoever revives it. `results`: what JSON makes of a value of the type, which may have more
 * properties than its type says. `loose`: what a reader needs to know, and no more.
 */
export type SchemaUse = "arguments" | "results" | "loose"

export interface Writing {
  readonly checker: Checker
  readonly use: SchemaUse
  /** The types around the one that is written, outermost first. */
  readonly around: Type[]
  /** Names of the types that contain themselves: they come once, under `$defs`. */
  readonly named: Map<number, string>
  readonly definitions: Map<string, JsonObject>
  /** How many object types may still be written: some types of libraries have no end. */
  left: number
  /** `undefined` for what has no form in JSON: functions, symbols, streams. */
  write(type: Type): JsonObject | undefined
}

/** Any value but `null`. */
export const PRESENT: JsonObject = { type: ["string", "number", "boolean", "object", "array"] }
