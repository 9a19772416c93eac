/** What types are generated from: a server and its tools as plain data. */
import type { JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"

export interface ToolShape {
  /** `server__tool`. */
  readonly id: string
  readonly name: string
  /** Its name on `tools.<server>`. */
  readonly tsName: string
  readonly definition: ToolDefinition
  /** What its results were seen to look like; used where the tool declares no `outputSchema`. */
  readonly resultSchema?: JsonObject | undefined
  /** From how many calls. */
  readonly learnedFrom?: number | undefined
}

export interface ServerShape {
  readonly server: string
  /** Its name on `tools`. */
  readonly tsName: string
  readonly description?: string | undefined
  readonly tools: readonly ToolShape[]
}
