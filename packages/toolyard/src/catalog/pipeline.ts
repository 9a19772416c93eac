/** policy → approval → validate → limit → source → cap → audit: what every call passes through, whoever makes it. */
import { toYardError, YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { CallContext, Caller, Source, ToolResult } from "../model/source.ts"
import { type Audit, type AuditRow, callerFields } from "../policy/audit.ts"
import type { Verdict } from "../policy/rules.ts"
import type { Blobs } from "../state/types.ts"
import { capResult, MAX_RESULT_BYTES, resultSize } from "./cap.ts"
import type { CatalogTool, Member } from "./member.ts"
import type { Metrics } from "./metrics.ts"
import { invalidArguments, Validator } from "./validate.ts"

export interface CallOptions extends Omit<Partial<CallContext>, "caller" | "signal" | "onWaiting"> {
  /** The caller's own; the pipeline ends the call through it too when the time is up. */
  controller?: AbortController
  /** Shorter than the server's own limit, never longer. */
  timeoutMs?: number
}

export interface PipelineDeps {
  blobs: Blobs
  audit: Audit
  metrics: Metrics
  warn: (message: string) => void
  decide: (tool: CatalogTool, caller: Caller) => Verdict
}

const NO_CAPABILITIES: JsonObject = {}

export class Pipeline {
  readonly #deps: PipelineDeps
  readonly #validator: Validator

  constructor(deps: PipelineDeps) {
    this.#deps = deps
    this.#validator = new Validator(deps.warn)
  }

  async call(caller: Caller, tool: CatalogTool, args: JsonObject, options: CallOptions): Promise<ToolResult> {
    const started = performance.now()
    try {
      this.#authorize(tool, caller)
      this.#validate(tool, args)
      const result = await this.#bounded(
        caller,
        tool.member,
        Math.min(tool.timeoutMs, options.timeoutMs ?? tool.timeoutMs),
        options,
        tool.id,
        (source, context) => source.call(tool.sourceName, args, context),
      )
      const size = resultSize(result, MAX_RESULT_BYTES)
      const passed = size > MAX_RESULT_BYTES ? await capResult(result, this.#deps.blobs) : result
      this.#record(caller, tool, started, result.isError === true ? "tool-error" : "ok", undefined, size)
      return passed
    } catch (error) {
      const known = toYardError(error)
      this.#record(caller, tool, started, REFUSALS.has(known.code) ? "refused" : "failed", known.code)
      throw known
    }
  }

  use<T>(
    caller: Caller,
    member: Member,
    options: CallOptions,
    work: (source: Source, context: CallContext) => Promise<T>,
  ): Promise<T> {
    return this.#bounded(caller, member, options.timeoutMs ?? member.config.timeoutMs, options, member.name, work)
  }

  #authorize(tool: CatalogTool, caller: Caller): void {
    const { action, because } = this.#deps.decide(tool, caller)
    if (action === "allow") return
    if (action === "read-only") throw new YardError("read_only", `${tool.id} may not be called: ${because}`)
    if (action === "deny") throw new YardError("denied", `${tool.id} may not be called: ${because}`)
    this.#approve(tool, because)
  }

  /** The stage where a person decides. Nobody can be asked yet, so what needs asking is refused. */
  #approve(tool: CatalogTool, because: string): never {
    throw new YardError("approval_required", `${tool.id} needs approval: ${because}`)
  }

  #validate(tool: CatalogTool, args: JsonObject): void {
    tool.check ??= this.#validator.compile(tool.id, tool.definition.inputSchema)
    const problems = tool.check(args)
    if (problems !== undefined) throw invalidArguments(tool.id, problems)
  }

  /** Runs `work` in one of the server's slots and within its time. */
  async #bounded<T>(
    caller: Caller,
    member: Member,
    timeoutMs: number,
    options: CallOptions,
    what: string,
    work: (source: Source, context: CallContext) => Promise<T>,
  ): Promise<T> {
    const { source, slots } = member
    if (!source) throw new YardError("server_disabled", `${member.name} is disabled: ${member.health().reason}`)
    const { controller = new AbortController(), timeoutMs: _own, ...rest } = options
    if (!slots.tryTake()) await slots.take(controller.signal)

    const expire = (): void =>
      controller.abort(
        new YardError("timeout", `${what} did not answer within ${timeoutMs} ms`, {
          hint: `Raise \`timeoutMs\` for ${member.name} or this tool in toolyard.json, or ask for less.`,
          data: { timeoutMs },
        }),
      )
    let timer = setTimeout(expire, timeoutMs)
    let done = false
    const restart = (): void => {
      clearTimeout(timer)
      if (!done) timer = setTimeout(expire, timeoutMs)
    }
    // Who waits for a person holds no slot: questions that nobody answers must not stop the server for the others.
    const wait = (waiting: boolean): void => {
      if (waiting) {
        clearTimeout(timer)
        slots.release()
      } else {
        slots.reenter()
        restart()
      }
    }
    const { progress } = options
    const context: CallContext = {
      capabilities: NO_CAPABILITIES,
      ...rest,
      caller,
      signal: controller.signal,
      // A server that reports progress is at work, and a person who is being asked is not the server's delay.
      ...(progress && {
        progress: (params: JsonObject) => {
          restart()
          progress(params)
        },
      }),
      onWaiting: wait,
    }
    try {
      return await work(source, context)
    } finally {
      done = true
      clearTimeout(timer)
      slots.release()
    }
  }

  #record(
    caller: Caller,
    tool: CatalogTool,
    started: number,
    outcome: AuditRow["outcome"],
    code?: string,
    resultBytes?: number,
  ): void {
    const row: AuditRow = {
      at: Date.now(),
      tool: tool.id,
      server: tool.member.name,
      ...callerFields(caller),
      outcome,
      ms: Math.round((performance.now() - started) * 1000) / 1000,
      ...(code !== undefined && { code }),
      ...(resultBytes !== undefined && { resultBytes }),
    }
    this.#deps.metrics.record(row)
    this.#deps.audit.record(row)
  }
}

const REFUSALS: ReadonlySet<string> = new Set([
  "denied",
  "read_only",
  "approval_required",
  "invalid_arguments",
  "overloaded",
])
