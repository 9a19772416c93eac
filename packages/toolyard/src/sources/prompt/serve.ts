/** A generated server at work: its tools as they are offered, and each call as one run of a handler in the sandbox. */
import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"
import type { Offer, ToolResult } from "../../model/source.ts"
import type { GuardedFetch } from "../../sandbox/fetch/guarded-fetch.ts"
import type { FetchRequest, FetchResponse } from "../../sandbox/fetch/message.ts"
import type { Sandbox } from "../../sandbox/sandbox.ts"
import type { ReadyScript } from "../../sandbox/typescript/prepare.ts"
import { allowFor } from "./allow.ts"
import { readHandler } from "./generate/read-handler.ts"
import type { PlannedTool } from "./model.ts"
import { type RelaxedOutput, relaxOutput } from "./run/relax-schema.ts"
import { type Trail, toToolResult } from "./run/result.ts"
import { runHandler } from "./run/run-handler.ts"
import { handlerFile, type ToolReport } from "./store/generated.ts"
import type { Stored } from "./store/store.ts"

export interface ServeDeps {
  name: string
  sandbox(): Sandbox | Promise<Sandbox>
  fetch: GuardedFetch
  allow: readonly string[]
  log(line: string): void
  /** Ends every call. */
  signal: AbortSignal
}

export interface Served {
  readonly offer: Offer
  /** What is not as it should be, though it is served: one line for each. */
  readonly notes: string[]
  /** How each tool did when it was tried out. */
  readonly report: string[]
  call(tool: string, args: JsonObject, call: Call): Promise<ToolResult>
}

interface Ready {
  planned: PlannedTool
  script: ReadyScript
  output: RelaxedOutput | undefined
}

const CALL_MS = 30_000
const READING = /^(?:get|head|options)$/i

export function serveStored({ generated, edited }: Stored, deps: ServeDeps): Served {
  const { plan, handlers, report } = generated
  const allow = allowFor(generated.whitelist, deps.allow)
  const ready = new Map<string, Ready>()
  const left = new Map<string, string>()
  const notes = edited.filter(name => name !== "report.json").map(name => `${name} was edited by hand`)
  for (const planned of plan.tools) {
    const { name } = planned
    const { verdict, reason = "" } = report.tools.find(tool => tool.name === name) ?? {}
    const isEdited = edited.includes(handlerFile(name))
    const read = readHandler(handlers.get(name) ?? "")
    // Who edits a handler that was found wanting has mended it, as far as we know.
    if (verdict === "quarantined" && !isEdited) left.set(name, `quarantined: ${reason}`)
    else if (!read.ok) left.set(name, `its handler cannot be run: ${read.problems.join("; ")}`)
    else ready.set(name, { planned, script: read.script, output: relaxOutput(planned.outputSchema) })
  }
  notes.push(...[...left].map(([name, why]) => `${name} is left out: ${why}`))

  async function call(name: string, args: JsonObject, caller: Call): Promise<ToolResult> {
    const tool = ready.get(name)
    if (!tool) {
      const why = left.get(name)
      throw new YardError(
        "unknown_tool",
        `${deps.name} has no tool "${name}"${why === undefined ? "" : `: it is ${why}`}`,
      )
    }
    const trail: Trail = { refusals: [] }
    const end = await runHandler(await deps.sandbox(), {
      script: tool.script,
      args,
      limits: { timeoutMs: CALL_MS },
      signal: AbortSignal.any([caller.signal, deps.signal]),
      log: (level, text) => deps.log(`${name}: ${level}: ${text}`),
      fetch: fetchFor(tool.planned, trail, caller),
    })
    return toToolResult(name, end, trail, tool.output)
  }

  function fetchFor(planned: PlannedTool, trail: Trail, caller: Call) {
    let progress = 0
    const tell = (message: string): void => {
      if (caller.wantsProgress) caller.progress({ progress: ++progress, message })
    }
    return async (request: FetchRequest, signal: AbortSignal): Promise<FetchResponse> => {
      const { method = "GET", url } = request
      tell(`${method} ${withoutQuery(url)}`)
      try {
        if (!planned.needsNetwork) throw refused(`${planned.name} was planned to need no network`)
        if (isReadOnly(planned) && !READING.test(method))
          throw refused(`${planned.name} was planned to read only, and wants to send ${method}`)
        const response = await deps.fetch.fetch(request, allow, signal)
        tell(`${response.status} from ${withoutQuery(url)}`)
        if (response.status >= 400) {
          const body = "text" in response.body ? response.body.text : ""
          trail.failure = { method, url: withoutQuery(url), status: response.status, body }
        }
        return response
      } catch (error) {
        if (error instanceof YardError && error.code === "fetch_refused")
          trail.refusals.push(`${error.message}. ${error.hint}`)
        throw error
      }
    }
  }

  return {
    offer: toOffer(plan.description, [...ready.values()]),
    notes,
    report: report.tools.map(describeReport),
    call,
  }
}

function describeReport({ name, verdict, reason, cases, repairs }: ToolReport): string {
  const mended = repairs === 0 ? "" : `, repaired ${repairs} times`
  return `${name}: ${verdict} in ${cases.length} cases${mended}${reason === undefined ? "" : ` (${reason})`}`
}

function toOffer(description: string, tools: readonly Ready[]): Offer {
  return {
    tools: tools.map(toDefinition),
    resources: [],
    templates: [],
    prompts: [],
    capabilities: { tools: {} },
    ...(description !== "" && { instructions: description }),
  }
}

function toDefinition({ planned, output }: Ready): ToolDefinition {
  const { name, description, inputSchema, endpoint, needsNetwork } = planned
  const method = endpoint?.method.toUpperCase()
  const annotations: JsonObject = { openWorldHint: needsNetwork }
  if (isReadOnly(planned)) annotations.readOnlyHint = true
  else if (method !== undefined) {
    annotations.readOnlyHint = false
    annotations.destructiveHint = method === "DELETE"
    if (method === "PUT" || method === "DELETE") annotations.idempotentHint = true
  }
  return { name, description, inputSchema, annotations, ...(output && { outputSchema: output.schema }) }
}

/** It is told so to clients, and held to it. */
function isReadOnly({ needsNetwork, endpoint }: PlannedTool): boolean {
  return !needsNetwork || (endpoint !== undefined && READING.test(endpoint.method))
}

function refused(message: string): YardError {
  return new YardError("fetch_refused", message, {
    hint: "Say in the prompt what it should do, and generate it again.",
  })
}

/** There may be a secret in it. */
function withoutQuery(url: unknown): string {
  return String(url).split(/[?#]/)[0] as string
}
