/** Code mode of a running hub, through its `/api`. */
import type { ApiDecision, ApiResume, ApiRun, ApiScript } from "../../model/api.ts"
import { YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { Approval, RunDetails, RunEvent, RunReport, RunSummary, SavedScript } from "../../model/run.ts"
import { CLIENT_NAME } from "./client.ts"
import { type CodeClient, DECIDED_BY, type FollowOptions } from "./code-client.ts"
import type { JsonRequest, ServerEvent } from "./http-json.ts"

export interface RemoteRequests {
  /** An object, or the error that the hub answered with. */
  ask<T>(request: JsonRequest): Promise<T>
  text(request: JsonRequest): Promise<string>
  events(request: JsonRequest): AsyncIterable<ServerEvent>
  /** An error as the hub put it. */
  toError(body: unknown): YardError
}

export function createRemoteCode({ ask, text, events, toError }: RemoteRequests): CodeClient {
  const runPath = (id: string): string => `/api/runs/${encodeURIComponent(id)}`
  const scriptPath = (name: string): string => `/api/scripts/${encodeURIComponent(name)}`

  /** What happens is told as it comes; the report is the last of it. */
  async function follow(path: string, body: unknown, { signal, watch }: FollowOptions): Promise<RunReport> {
    const request: JsonRequest = { method: "POST", path, body, signal }
    if (!watch) return ask<RunReport>(request)
    for await (const { event, data } of events(request)) {
      if (event === "report") return data as RunReport
      if (event === "error") throw toError(data)
      if (isObject(data)) watch(data as unknown as RunEvent)
    }
    throw new YardError("server_down", "the hub broke off before the run had ended", {
      hint: "`toolyard runs` shows what became of it.",
    })
  }

  return {
    execute(request, options) {
      const { waitMs } = options
      const body: ApiRun = { ...request, client: CLIENT_NAME, ...(waitMs !== undefined && { waitMs }) }
      return follow("/api/runs", body, options)
    },
    resume(runId, options) {
      const { signal: _, watch: __, ...rest } = options
      return follow(`${runPath(runId)}/resume`, { ...rest, client: CLIENT_NAME } satisfies ApiResume, options)
    },
    replay: (runId, signal) => ask({ method: "POST", path: `${runPath(runId)}/replay`, signal }),
    async decide(id, decision, reason) {
      const body: ApiDecision = { decision, by: DECIDED_BY, ...(reason !== undefined && { reason }) }
      const path = `/api/approvals/${encodeURIComponent(id)}`
      return (await ask<{ approvals: Approval[] }>({ method: "POST", path, body })).approvals
    },
    types: about => text({ path: `/runtime/tools.d.ts${query({ ...about })}` }),
    warm: () => {},
    runs: async options => (await ask<{ runs: RunSummary[] }>({ path: `/api/runs${query({ ...options })}` })).runs,
    run: runId => ask<RunDetails>({ path: runPath(runId) }),
    approvals: async () => (await ask<{ approvals: Approval[] }>({ path: "/api/approvals" })).approvals,
    scripts: async () => (await ask<{ scripts: SavedScript[] }>({ path: "/api/scripts" })).scripts,
    script: async name => (await ask<{ script: SavedScript }>({ path: scriptPath(name) })).script,
    async saveScript(name, source, description) {
      const body: ApiScript = { ...source, ...(description !== undefined && { description }) }
      return (await ask<{ script: SavedScript }>({ method: "PUT", path: scriptPath(name), body })).script
    },
    removeScript: async name => void (await ask({ method: "DELETE", path: scriptPath(name) })),
  }
}

export function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`
}
