/** What passes between the steps that make a server from a prompt. Plain data, all of it kept as files. */
import type * as z from "zod"
import type { JsonObject } from "../../model/json.ts"

/** One page of documentation, as a model reads it. */
export interface DocumentPage {
  url: string
  title?: string
  markdown: string
  /** What was left out, in a sentence. */
  cut?: string
}

/** A description of an API that needs no model to be understood. */
export interface FoundDescription {
  kind: "openapi" | "graphql" | "postman" | "har"
  url: string
  text: string
}

export interface Gathered {
  pages: DocumentPage[]
  failures: { url: string; reason: string }[]
  /** Hosts, sorted; a domain covers its subdomains. */
  whitelist: string[]
  descriptions: FoundDescription[]
  warnings: string[]
}

export interface PlannedTool {
  name: string
  description: string
  inputSchema: JsonObject
  outputSchema?: JsonObject
  needsNetwork: boolean
  /** Where it goes: `https://api.example/items/{id}`; placeholders are parameters. */
  endpoint?: { method: string; url: string }
  /** What else the one who writes the handler should know. */
  notes?: string
}

export interface Plan {
  description: string
  tools: PlannedTool[]
}

/** One exchange with a model, for the log. */
export interface ModelUsage {
  step: string
  ms: number
  inputTokens?: number
  outputTokens?: number
  requestId?: string
}

export interface Model {
  /** `provider/name`, part of the cache's key. */
  readonly name: string
  /** An answer that fits the schema; asks again once when it does not. Throws `generation_failed`. */
  generate<T>(request: {
    step: string
    instructions: string
    prompt: string
    schema: z.ZodType<T>
    signal?: AbortSignal | undefined
  }): Promise<T>
}

/** Told what happens, step by step. */
export interface Progress {
  step(name: "fetch" | "plan" | "generate" | "verify" | "repair" | "store", message: string, data?: JsonObject): void
  usage(usage: ModelUsage): void
}
