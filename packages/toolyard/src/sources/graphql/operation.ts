/** A field of the schema as a tool, and as the request that a call of it becomes. Plain data: it can be cached. */
import type { JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"

export interface GraphQlTool {
  definition: ToolDefinition
  plan: GraphQlPlan
}

export interface GraphQlPlan {
  kind: "query" | "mutation"
  field: string
  /** Types of the arguments as GraphQL writes them, by name. */
  variables: Record<string, string>
  /** The name of the type that is selected from; none for what has no parts. */
  type?: string
  /** What is asked for when the caller does not say. */
  selection: string
  /** The argument by which the caller says. */
  select?: string
}

/** Only what was given is named: for the rest the schema's own defaults hold. */
export function toDocument(plan: GraphQlPlan, args: JsonObject, selection = plan.selection): string {
  const given = Object.entries(plan.variables).filter(([name]) => args[name] !== undefined)
  const variables = given.map(([name, type]) => `$${name}: ${type}`).join(", ")
  const passed = given.map(([name]) => `${name}: $${name}`).join(", ")
  const around = (text: string): string => (text === "" ? "" : `(${text})`)
  return `${plan.kind} ${plan.field}${around(variables)} { ${plan.field}${around(passed)} ${selection} }`
}

export function toVariables(plan: GraphQlPlan, args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(plan.variables).flatMap(name => (args[name] === undefined ? [] : [[name, args[name]]])),
  )
}
