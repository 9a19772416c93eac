/** Opens code mode. What is heavy (the compiler, the sandbox) is loaded when it is first needed. */
import type { Catalog } from "../catalog/catalog.ts"
import type { YardConfig } from "../model/config.ts"
import { YardError } from "../model/errors.ts"
import type { Approvals } from "../policy/approvals.ts"
import type { State } from "../state/types.ts"
import { renderClient } from "./client.ts"
import type { CodeMode } from "./code-mode.ts"
import { createTypes, type Learned } from "./declarations.ts"
import { openKeptRuns } from "./runs/kept-runs.ts"
import type { Runs } from "./runs/runs.ts"
import { checkScriptName, openScripts, type Scripts } from "./scripts/scripts.ts"

export interface CodeModeDeps {
  catalog: Catalog
  approvals: Approvals
  state: State
  learned: Learned
  config: () => YardConfig
  log: (level: "info" | "warn", message: string) => void
  onSpawn?: (pid: number) => void
  onExit?: (pid: number) => void
  /** How many sandbox processes stand ready. */
  sandboxes?: number
  onScriptsChange: () => void
}

export interface OpenedCodeMode extends CodeMode {
  readonly saved: Scripts
  revive(): Promise<void>
}

export function openCodeMode(deps: CodeModeDeps): OpenedCodeMode {
  const { catalog, state, approvals } = deps
  const types = createTypes(catalog, deps.learned)
  const kept = openKeptRuns(state.store, state.blobs)
  const saved = openScripts(state.store, deps.onScriptsChange)
  let runs: Promise<Runs> | undefined
  let isClosed = false
  const load = (): Promise<Runs> => {
    if (isClosed) return Promise.reject(new YardError("interrupted", "toolyard is being stopped"))
    runs ??= import("./runs/runs.ts").then(({ openRuns }) => openRuns({ ...deps, types, kept, scripts: saved }))
    return runs
  }

  return {
    saved,
    async execute(request, call, options) {
      // Now, and not when it has done its work.
      if (request.saveAs !== undefined) checkScriptName(request.saveAs)
      return (await load()).execute(request, call, options)
    },
    resume: async (runId, call, options) => (await load()).resume(runId, call, options),
    replay: async (runId, call) => (await load()).replay(runId, call),
    runs: options => kept.list(options ?? {}),
    run: async runId => {
      const details = await kept.details(runId)
      if (details.status !== "waiting") return details
      const approvalsOfRun = (await approvals.list()).filter(approval => approval.runId === runId)
      return { ...details, approvals: approvalsOfRun }
    },
    approvals: () => approvals.list(),
    decide: (id, decision, who) => approvals.decide(id, decision, who),
    scripts: () => saved.list(),
    script: name => saved.get(name),
    async saveScript(name, source, description) {
      const code = "code" in source ? source.code : (await kept.record(source.runId)).start.code
      const read = await (await load()).inputSchema(code)
      return saved.save({ name, code, ...read, ...(description !== undefined && { description }) })
    },
    removeScript: name => saved.remove(name),
    types: (options = {}) => types.render(options),
    client: ({ url, ...options }) => renderClient(types.shapes(options), url),
    async revive() {
      await kept.prune()
      if ((await kept.unfinished()).length > 0) await (await load()).revive()
    },
    warm() {
      void load().then(
        opened => opened.warm(),
        () => {},
      )
    },
    async close() {
      isClosed = true
      await (await runs)?.close()
    },
  }
}
