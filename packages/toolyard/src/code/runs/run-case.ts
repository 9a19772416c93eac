/** For the tests of runs: code mode over a server of this process, whose effects are lines of a file. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Catalog } from "../../catalog/catalog.ts"
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { type Policy, SERVER_DEFAULTS, type ServerConfig, type YardConfig } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import type { JsonObject } from "../../model/json.ts"
import { DEFAULT_LIMITS, type RunLimits } from "../../model/run.ts"
import type { Source, SourceEvents, ToolResult } from "../../model/source.ts"
import { type Approvals, createApprovals } from "../../policy/approvals.ts"
import { Audit } from "../../policy/audit.ts"
import { openState } from "../../state/open.ts"
import type { State } from "../../state/types.ts"
import { type OpenedCodeMode, openCodeMode } from "../open.ts"
import { askPerson } from "./ask-person.ts"
import { RunCall } from "./run-call.ts"

export interface RunCase {
  readonly code: OpenedCodeMode
  readonly state: State
  readonly approvals: Approvals
  /** The sandbox processes that were started. */
  readonly pids: number[]
  readonly warnings: string[]
  /** A caller that cannot be asked. */
  call(): Call
  /** What the tools did, in this process and in others on the same folder. */
  effects(): string[]
  /** A stop in good order. */
  close(): Promise<void>
}

export interface RunCaseOptions {
  limits?: Partial<RunLimits>
  askTimeoutMs?: number
}

const CALLER: Caller = { surface: "library", principal: "test" }
const ARGS = {
  type: "object",
  properties: { name: { type: "string" }, hangs: { type: "integer" }, chars: { type: "integer" } },
  required: ["name"],
}
const ANNOTATIONS: Record<string, JsonObject | undefined> = {
  /** Has an effect each time. */
  send: undefined,
  put: { idempotentHint: true },
  look: { readOnlyHint: true },
  /** A person is asked. */
  remove: { destructiveHint: true },
}

export const effectsOf = (folder: string): string[] => {
  const file = join(folder, "effects")
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []
}

/** Each tool writes `TOOL NAME`, and says so; with `hangs: n` the first n calls of that name are never answered. */
function openSource(folder: string): Source {
  const emitter = new Emitter<SourceEvents>()
  const tools = Object.entries(ANNOTATIONS).map(([name, annotations]) => ({
    name,
    inputSchema: ARGS,
    ...(annotations && { annotations }),
  }))
  return {
    type: "inline",
    open: async () => {},
    list: () => ({ tools, resources: [], templates: [], prompts: [], capabilities: { tools: {} } }),
    health: () => ({ state: "up", since: 0 }),
    async call(tool, args, call): Promise<ToolResult> {
      const line = `${tool} ${args.name}`
      appendFileSync(join(folder, "effects"), `${line}\n`)
      const times = effectsOf(folder).filter(other => other === line).length
      if (times <= Number(args.hangs ?? 0))
        return new Promise((_, reject) => call.onAbort({ onAbort: reason => reject(reason) }))
      return { content: [], structuredContent: { did: line, filling: "x".repeat(Number(args.chars ?? 0)) } }
    },
    on: (event, listener) => emitter.on(event, listener),
    close: async () => {},
  }
}

const SERVER: ServerConfig = {
  ...SERVER_DEFAULTS,
  name: "s",
  entry: { type: "inline" },
  hash: "1",
}

export async function openRunCase(folder: string, options: RunCaseOptions = {}): Promise<RunCase> {
  const warnings: string[] = []
  const pids: number[] = []
  const { askTimeoutMs = 60_000 } = options
  const policy: Policy = { default: "allow", rules: [{ match: ["s__remove"], do: "ask" }], askTimeoutMs }
  const state = await openState(join(folder, "state"), problem => warnings.push(problem))
  const approvals = createApprovals({ store: state.store, bus: state.bus, timeoutMs: askTimeoutMs })
  const config: YardConfig = {
    root: folder,
    files: [],
    servers: [SERVER],
    surface: "code",
    policy,
    sandbox: { ...DEFAULT_LIMITS, ...options.limits, network: [] },
    problems: [],
  }
  const catalog = new Catalog(policy, {
    openSource: () => openSource(folder),
    cache: { get: () => undefined, set: () => {} },
    blobs: state.blobs,
    audit: new Audit(state.store, () => {}),
    async approve(tool, because, call, args) {
      if (!(call instanceof RunCall)) throw new Error("only runs call here")
      await askPerson(approvals, { tool: tool.id, args, because }, call)
    },
    log: (_level, message) => warnings.push(message),
    start: Promise.resolve(),
    root: folder,
  })
  await catalog.configure([SERVER])
  const code = openCodeMode({
    catalog,
    approvals,
    state,
    learned: { schemaOf: () => undefined },
    config: () => config,
    log: (_level, message) => warnings.push(message),
    onSpawn: pid => pids.push(pid),
    onScriptsChange: () => {},
  })
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await code.close()
    await approvals.close()
    await catalog.close()
    await state.close()
  }
  return {
    code,
    state,
    approvals,
    pids,
    warnings,
    call: () => new Call(CALLER),
    effects: () => effectsOf(folder),
    close() {
      closing ??= close()
      return closing
    },
  }
}
