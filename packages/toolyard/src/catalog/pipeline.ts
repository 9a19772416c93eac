/** policy → validate → approval → limit → source → cap → audit: what every call passes through, whoever makes it. */
import type { Call } from "../model/call.ts"
import type { Caller } from "../model/caller.ts"
import { toYardError, YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { Source, ToolResult } from "../model/source.ts"
import type { Audit, AuditRow } from "../policy/audit.ts"
import { Slots } from "../policy/limits.ts"
import type { Verdict } from "../policy/rules.ts"
import type { Blobs } from "../state/types.ts"
import { capResult, MAX_RESULT_BYTES, resultSize } from "./cap.ts"
import { Deadline } from "./deadline.ts"
import type { CatalogTool, Member } from "./member.ts"
import type { Metrics } from "./metrics.ts"
import { invalidArguments, Validator } from "./validate.ts"

export interface PipelineDeps {
  blobs: Blobs
  audit: Audit
  metrics: Metrics
  warn: (message: string) => void
  decide: (tool: CatalogTool, caller: Caller) => Verdict
  /** Told the results of tools that do not declare them. */
  learn?: ((tool: CatalogTool, result: ToolResult) => void) | undefined
  /** Resolves when a person has approved the call; absent where nobody can be asked. */
  approve?: Approve | undefined
}

export type Approve = (tool: CatalogTool, because: string, call: Call, args: JsonObject) => Promise<void>

export class Pipeline {
  readonly #deps: PipelineDeps
  readonly #validator: Validator
  readonly #unlimited = new Slots("calls within calls", Number.POSITIVE_INFINITY)

  constructor(deps: PipelineDeps) {
    this.#deps = deps
    this.#validator = new Validator(deps.warn)
  }

  async call(call: Call, tool: CatalogTool, args: JsonObject): Promise<ToolResult> {
    let started = performance.now()
    try {
      const because = this.#authorize(tool, call.caller)
      tool.check ??= await this.#validator.compile(tool.id, tool.definition.inputSchema)
      const problems = tool.check(args)
      if (problems !== undefined) throw invalidArguments(tool.id, problems)
      // After the check: nobody should be asked about arguments that would be refused anyway.
      if (because !== undefined) {
        await this.#approve(tool, because, call, args)
        // How long people take says nothing about the server.
        started = performance.now()
      }
      const { member } = tool
      const source = sourceOf(member)
      // A call within a call of the same server has that one's slot: waiting for another could be waiting for itself.
      const slots = call.isWithin(member.name) ? this.#unlimited : member.slots
      if (!slots.tryTake()) await slots.take(call)
      const deadline = startClock(call, member.name, slots, tool.id, tool.timeoutMs)
      let result: ToolResult
      try {
        result = await source.call(tool.sourceName, args, call)
      } finally {
        deadline.end()
      }
      const size = resultSize(result, MAX_RESULT_BYTES)
      const passed = size > MAX_RESULT_BYTES ? await capResult(result, this.#deps.blobs) : result
      this.#record(call.caller, tool, started, result.isError === true ? "tool-error" : "ok", undefined, size)
      if (tool.definition.outputSchema === undefined && result.isError !== true) this.#deps.learn?.(tool, result)
      return passed
    } catch (error) {
      const known = toYardError(error)
      this.#record(call.caller, tool, started, REFUSALS.has(known.code) ? "refused" : "failed", known.code)
      throw known
    }
  }

  /** Reads, prompts and completions: the same limits and time-out. */
  async use<T>(call: Call, member: Member, work: (source: Source) => Promise<T>): Promise<T> {
    const source = sourceOf(member)
    if (!member.slots.tryTake()) await member.slots.take(call)
    const deadline = startClock(call, member.name, member.slots, member.name, member.config.timeoutMs)
    try {
      return await work(source)
    } finally {
      deadline.end()
    }
  }

  /** Throws what the policy refuses; gives the reason where a person must decide. */
  #authorize(tool: CatalogTool, caller: Caller): string | undefined {
    const { action, because } = this.#deps.decide(tool, caller)
    if (action === "allow") return undefined
    if (action === "ask") return because
    throw new YardError(action === "deny" ? "denied" : "read_only", `${tool.id} may not be called: ${because}`)
  }

  async #approve(tool: CatalogTool, because: string, call: Call, args: JsonObject): Promise<void> {
    if (!this.#deps.approve) throw new YardError("approval_required", `${tool.id} needs approval: ${because}`)
    call.outer?.wait(true)
    try {
      await this.#deps.approve(tool, because, call, args)
    } finally {
      call.outer?.wait(false)
    }
    // People take their time: the caller may have left and the rules may have changed since.
    if (call.aborted) throw call.aborted
    this.#authorize(tool, call.caller)
  }

  #record(
    caller: Caller,
    tool: CatalogTool,
    started: number,
    outcome: AuditRow["outcome"],
    code?: string,
    resultBytes?: number,
  ): void {
    // Always the same keys in the same order: such objects are cheap to make and to print.
    const row: AuditRow = {
      at: Date.now(),
      tool: tool.id,
      server: tool.member.name,
      surface: caller.surface,
      client: caller.client,
      session: caller.session,
      outcome,
      code,
      ms: Math.round((performance.now() - started) * 1000) / 1000,
      resultBytes,
    }
    this.#deps.metrics.record(row)
    this.#deps.audit.record(row)
  }
}

function sourceOf(member: Member): Source {
  if (member.source) return member.source
  throw new YardError("server_disabled", `${member.name} is disabled: ${member.health().reason}`)
}

function startClock(call: Call, server: string, slots: Slots, what: string, limitMs: number): Deadline {
  const { timeoutMs } = call
  call.server = server
  const deadline = new Deadline(call, slots, what, timeoutMs === undefined ? limitMs : Math.min(limitMs, timeoutMs))
  call.clock = deadline
  return deadline
}

const REFUSALS: ReadonlySet<string> = new Set([
  "denied",
  "read_only",
  "approval_required",
  "approval_denied",
  "approval_timeout",
  "invalid_arguments",
  "overloaded",
])
