/** What is known of a module from its types: what `describe` finds out, `host` serves, and the cache keeps. */
import type { ToolDefinition } from "../../model/mcp.ts"

export interface ModuleDescription {
  /** The file's leading doc comment. */
  description?: string
  /** In the order in which they stand in the file, re-exports after. */
  functions: DescribedFunction[]
  /** Absolute: the module and every user file it imports, transitively, types too. */
  files: string[]
  /** What could not be described, with file:line. */
  problems: string[]
}

export interface DescribedFunction {
  /** The export's name; "default" for a default-exported function. */
  export: string
  definition: ToolDefinition
  /** How arguments become parameters, in order. */
  parameters: ParameterPlan[]
  /** The output schema is wrapped in `{ result }`. */
  wrapped: boolean
}

export type ParameterPlan = { kind: "named"; name: string; rest?: true } | { kind: "whole" } | { kind: "context" }
