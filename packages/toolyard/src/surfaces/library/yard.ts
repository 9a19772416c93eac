/** The yard as an object of a program: every method is a few words between it and the catalog or code mode. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { Member } from "../../catalog/member.ts"
import type { CodeMode } from "../../code/code-mode.ts"
import { type ToolFailure, toValue } from "../../code/value/value.ts"
import type { ApiServer } from "../../model/api.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { RunReport, RunRequest } from "../../model/run.ts"
import type { ToolResult } from "../../model/source.ts"
import type { Approvals } from "../../policy/approvals.ts"
import type { Blobs } from "../../state/types.ts"
import { LibraryCall, whileWanted } from "./library-call.ts"
import { createResources } from "./resources.ts"
import { stricter } from "./stricter.ts"
import { createTools } from "./tools.ts"
import type { AskHandlers, CallOptions, LibraryYard, YardEvents } from "./types.ts"

export interface LibraryDeps {
  catalog: Catalog
  code: CodeMode
  approvals: Approvals
  blobs: Blobs
  /** Who the program is: what `policy` rules match on. */
  caller: Caller
  onAsk: AskHandlers | undefined
  /** The error that functions of one's own get too, when a tool that they call fails. */
  toToolError: (server: string, tool: string, failure: ToolFailure) => Error
  showServer: (member: Member) => ApiServer
  close: () => Promise<void>
}

export function createLibraryYard(deps: LibraryDeps): LibraryYard {
  const { catalog, code, approvals, caller } = deps
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= deps.close()
    return closing
  }

  /** The one place where the program becomes a caller. */
  function begin<T>(options: CallOptions, work: (call: LibraryCall) => Promise<T>): Promise<T> {
    if (closing) return Promise.reject(new YardError("interrupted", "the yard is closed", { hint: "Open it again." }))
    const readOnly = stricter(caller.readOnly, options.readOnly)
    const call = new LibraryCall(
      { ...caller, ...(readOnly !== undefined && { readOnly }) },
      { ...options, ...(options.onAsk === undefined && deps.onAsk && { onAsk: deps.onAsk }) },
    )
    return whileWanted(call, options.signal, () => work(call))
  }

  const callRaw = (tool: string, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolResult> =>
    begin(options, call => catalog.call(call, tool, args))

  /** A report is made for models; a program gets the value whole. */
  async function whole(report: RunReport): Promise<RunReport> {
    if (report.status !== "completed" || report.more === undefined) return report
    const { more: _, ...rest } = report
    return { ...rest, ...(report.value !== undefined && { value: (await code.run(report.runId)).value }) }
  }

  return {
    tools: createTools(deps, callRaw),
    search: (query, options = {}) => catalog.search(query, { ...options, caller }),
    callRaw,
    async call<Value>(tool: string, args?: JsonObject, options?: CallOptions): Promise<Value> {
      const result = await callRaw(tool, args, options)
      const value = toValue(result)
      if (result.isError !== true) return value as Value
      const known = catalog.findTool(tool)
      throw deps.toToolError(known?.member.name ?? "", known?.name ?? tool, (value as { error: ToolFailure }).error)
    },
    async run(script, { signal, onAsk, ...options } = {}) {
      const request: RunRequest = { ...options, ...(typeof script === "string" ? { code: script } : script) }
      const { readOnly } = options
      const call = { signal, ...(onAsk && { onAsk }), ...(readOnly !== undefined && { readOnly }) }
      return whole(await begin(call, begun => code.execute(request, begun)))
    },
    async resume(runId, { signal, onAsk, ...options } = {}) {
      return whole(await begin({ signal, ...(onAsk && { onAsk }) }, call => code.resume(runId, call, options)))
    },
    runDetails: runId => code.run(runId),
    approvals: () => approvals.list(),
    decide: (id, decision, reason) =>
      approvals.decide(id, decision, {
        by: `the user of ${caller.client ?? "the program"}`,
        ...(reason !== undefined && { reason }),
      }),
    servers: () => catalog.servers().map(deps.showServer),
    ...createResources(deps, begin),
    types: about => code.types(about),
    on(event, listener) {
      const events: { [E in keyof YardEvents]: (tell: YardEvents[E]) => () => void } = {
        changed: tell => catalog.on("changed", (server, lists) => tell({ server, lists })),
        health: tell => catalog.on("health", (server, health) => tell({ server, ...health })),
        asked: tell => approvals.on("asked", tell),
      }
      return events[event](listener)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
