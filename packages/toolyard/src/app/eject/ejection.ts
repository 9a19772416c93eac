/** What each type of server becomes when it is ejected: the part of the new project that is its own. */
import type { ServerConfig } from "../../model/config.ts"
import type { ToolDefinition } from "../../model/mcp.ts"

/** By path in the new folder, with `/` between its parts. */
export type Files = Map<string, string | Uint8Array>

export interface Ejection {
  /** As clients see them. */
  tools: ToolDefinition[]
  files: Files
  /** npm packages with the exact versions. */
  dependencies: Record<string, string>
  devDependencies?: Record<string, string>
  variables: Variable[]
  /** For whoever reads the new project. */
  notes: string[]
  /** For whoever ejects. */
  warnings: string[]
  /** What `src/handlers/index.ts` exports besides `callTool`. */
  exports?: ("resources" | "prompts")[]
  instructions?: string
  /** The author's own code need not be as strict as ours. */
  isLoose?: boolean
}

/** A variable of the environment; its value is never written. */
export interface Variable {
  name: string
  purpose: string
  required: boolean
}

export interface EjectInput {
  /** The project's folder. */
  root: string
  /** As it runs here. */
  server: ServerConfig
  /** The same with `${NAME}` wherever a variable stands in the configuration. */
  written: ServerConfig
}
