/** What was generated for one server, and how it stands in files that a person can read, compare and edit. */
import * as z from "zod"
import type { JsonObject } from "../../../model/json.ts"
import type { MadeTool } from "../generate/make-tool.ts"
import type { FoundDescription, Plan } from "../model.ts"
import type { Finding, Sample } from "../verify/verify-tool.ts"
import type { Files } from "./swap-folder.ts"

/** The hosts that handlers may reach. What a fetched page names never opens an internal address. */
export interface Whitelist {
  prompt: string[]
  pages: string[]
}

export interface ToolReport {
  name: string
  verdict: MadeTool["verdict"]
  reason?: string | undefined
  repairs: number
  cases: string[]
  findings: Finding[]
}

export interface Report {
  tools: ToolReport[]
  warnings: string[]
}

/** Either tools with handlers, or a description that says it all. */
export interface Generated {
  plan: Plan
  /** By tool; those of quarantined tools too, so that a person can mend them. */
  handlers: Map<string, string>
  whitelist: Whitelist
  report: Report
  /** What was tried, by tool. */
  examples: Record<string, Sample[]>
  description?: FoundDescription
}

const anyObject = z.custom<JsonObject>(value => typeof value === "object" && value !== null && !Array.isArray(value))
const PlanFile = z.object({
  description: z.string(),
  tools: z.array(
    z.object({
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      description: z.string(),
      inputSchema: anyObject,
      outputSchema: anyObject.optional(),
      needsNetwork: z.boolean(),
      endpoint: z.object({ method: z.string(), url: z.string() }).optional(),
      notes: z.string().optional(),
    }),
  ),
})
const WhitelistFile = z.object({ prompt: z.array(z.string()), pages: z.array(z.string()) })
const ReportFile = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      verdict: z.enum(["verified", "unproven", "quarantined"]),
      reason: z.string().optional(),
      repairs: z.number(),
      cases: z.array(z.string()),
      findings: z.array(
        z.object({ case: z.string(), severity: z.enum(["fault", "doubt", "note"]), message: z.string() }),
      ),
    }),
  ),
  warnings: z.array(z.string()),
})
const DescriptionFile = z.object({ kind: z.enum(["openapi", "graphql", "postman", "har"]), url: z.string() })

export const DESCRIPTION_FILE = "description.txt"
export const handlerFile = (tool: string): string => `handlers/${tool}.ts`

export function toFiles({ plan, handlers, whitelist, report, examples, description }: Generated): Files {
  const files: Files = new Map()
  const put = (name: string, value: unknown): void => void files.set(name, `${JSON.stringify(value, undefined, 2)}\n`)
  put("plan.json", plan)
  put("whitelist.json", whitelist)
  put("report.json", report)
  put("examples.json", examples)
  for (const [tool, code] of handlers) files.set(handlerFile(tool), code)
  if (description) {
    put("description.json", { kind: description.kind, url: description.url })
    files.set(DESCRIPTION_FILE, description.text)
  }
  return files
}

/** Throws when something that is needed is missing or is not what it must be. */
export function fromFiles(files: Files): Generated {
  const read = <T>(name: string, schema: z.ZodType<T>): T => schema.parse(JSON.parse(files.get(name) ?? ""))
  const plan = read("plan.json", PlanFile) as Plan
  const handlers = new Map<string, string>()
  for (const { name } of plan.tools) {
    const code = files.get(handlerFile(name))
    if (code !== undefined) handlers.set(name, code)
  }
  const generated: Generated = {
    plan,
    handlers,
    whitelist: read("whitelist.json", WhitelistFile),
    report: read("report.json", ReportFile),
    examples: read("examples.json", z.record(z.string(), z.array(z.custom<Sample>()))),
  }
  const text = files.get(DESCRIPTION_FILE)
  return text === undefined
    ? generated
    : { ...generated, description: { ...read("description.json", DescriptionFile), text } }
}
