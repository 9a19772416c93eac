/** All runs of this process: starts them, waits for them, and takes up those that an earlier process left. */
import { randomUUID } from "node:crypto"
import type { Catalog } from "../../catalog/catalog.ts"
import type { AbortListener, Call } from "../../model/call.ts"
import type { YardConfig } from "../../model/config.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import type { RunReport, RunRequest, SavedScript } from "../../model/run.ts"
import type { Approvals } from "../../policy/approvals.ts"
import { allowList } from "../../sandbox/fetch/allow-list.ts"
import { createGuardedFetch, type GuardedFetch } from "../../sandbox/fetch/guarded-fetch.ts"
import { openSandbox } from "../../sandbox/pool.ts"
import { engineTag } from "../../sandbox/quickjs/engine-tag.ts"
import type { Sandbox } from "../../sandbox/sandbox.ts"
import { type Checker, openChecker } from "../../sandbox/typescript/checker.ts"
import { formatDiagnostics } from "../../sandbox/typescript/diagnostic.ts"
import type { PreparedScript } from "../../sandbox/typescript/prepare.ts"
import type { State } from "../../state/types.ts"
import type { ExecuteOptions, ResumeOptions } from "../code-mode.ts"
import type { Types } from "../declarations.ts"
import { toReport } from "../report.ts"
import type { Scripts } from "../scripts/scripts.ts"
import { openHolders } from "./holders.ts"
import { openJournal, streamOf } from "./journal.ts"
import type { KeptRuns, ListedRun } from "./kept-runs.ts"
import { mayRepeat, nameOf, perform } from "./perform.ts"
import type { RunRecord } from "./record.ts"
import type { StartRow } from "./rows.ts"
import { Run } from "./run.ts"
import { RunCall } from "./run-call.ts"

export interface RunsDeps {
  catalog: Catalog
  approvals: Approvals
  state: State
  types: Types
  scripts: Scripts
  kept: KeptRuns
  config: () => YardConfig
  log: (level: "info" | "warn", message: string) => void
  /** Told of every sandbox process, and of its end. */
  onSpawn?: (pid: number) => void
  onExit?: (pid: number) => void
  sandboxes?: number
}

export interface Runs {
  execute(request: RunRequest, call: Call, options?: ExecuteOptions): Promise<RunReport>
  resume(runId: string, call: Call, options?: ResumeOptions): Promise<RunReport>
  replay(runId: string, call: Call): Promise<RunReport>
  /** Takes up, or ends, what processes that are no longer there have left. */
  revive(): Promise<void>
  inputSchema(code: string): Promise<Pick<SavedScript, "inputSchema" | "description">>
  warm(): void
  close(): Promise<void>
}

/** How long `resume` waits if nothing is said. */
const RESUME_WAIT_MS = 30_000
/** A script that runs a script that runs a script … */
const MAX_DEPTH = 8
const PRUNE_EVERY = 500
/** Runs that have ended are at hand for a while, unless they are large: whoever started them will ask. */
const REMEMBERED = 100
const LARGE_VALUE = 64 * 1024

export function openRuns(deps: RunsDeps): Runs {
  const { catalog, state, types, kept, scripts } = deps
  const holders = openHolders(state.store)
  const live = new Map<string, Run>()
  const recent = new Map<string, Run>()
  const takingUp = new Map<string, Promise<Run>>()
  let sandbox: Sandbox | undefined
  let checker: Checker | undefined
  let fetcher: GuardedFetch | undefined
  let names: string | undefined
  let lastTime = 0
  let sequence = 0
  let endedCount = 0
  let engine: string | undefined
  let closing: Promise<void> | undefined

  const limits = () => deps.config().sandbox
  const theSandbox = (): Sandbox => {
    sandbox ??= openSandbox({
      memoryMb: limits().memoryMb,
      log: deps.log,
      ...(deps.onSpawn && { onSpawn: deps.onSpawn }),
      ...(deps.onExit && { onExit: deps.onExit }),
      ...(deps.sandboxes !== undefined && { size: deps.sandboxes }),
    })
    const now = types.names()
    if (now !== names) {
      names = now
      sandbox.setNames(now)
    }
    return sandbox
  }
  const theChecker = (): Checker => {
    checker ??= openChecker()
    return checker
  }
  const theFetch = (): GuardedFetch => {
    const { timeoutMs, maxResultBytes } = limits()
    fetcher ??= createGuardedFetch({ timeoutMs, maxBytes: maxResultBytes })
    return fetcher
  }

  /** Sorts by time, and cannot be guessed. */
  function createId(): string {
    const now = Date.now()
    sequence = now === lastTime ? sequence + 1 : 0
    lastTime = now
    const order = (now * 4096 + Math.min(sequence, 4095)).toString(36).padStart(11, "0")
    // As random as `randomBytes`, from a store of random bytes that is filled less often.
    return `run_${order}${randomUUID().slice(24)}`
  }

  function create(id: string, start: StartRow, script: PreparedScript, depth: number, isTakenUp = false): Run {
    const journal = openJournal(id, state.store, state.blobs, error => run.stop("failed", toYardError(error)))
    const performing = {
      catalog,
      fetch: theFetch,
      allowed: () => allowedHosts(script),
      readResult,
    }
    const run: Run = new Run(id, start, script, depth, {
      sandbox: theSandbox,
      blobs: state.blobs,
      journal,
      engine() {
        engine ??= engineTag()
        return engine
      },
      perform: (call, kind, payload) => perform(performing, call, kind, payload),
      mayRepeat: call => mayRepeat(catalog, call),
      nameOf: (kind, payload) => nameOf(catalog, kind, payload),
      changed: () => kept.put(listed(run)),
      async ended() {
        if (start.saveAs !== undefined && run.status === "completed") await saveAs(run, start.saveAs)
        const { status, error, usage, value } = run
        const rest = {
          status,
          at: run.endedAt as number,
          usage,
          ...(error && { error }),
          ...(run.savedAs !== undefined && { script: run.savedAs }),
        }
        try {
          if (value === "") await journal.write({ t: "end", ...rest })
          else await journal.write(journal.holding(value, whole => ({ t: "end", ...rest, value: whole })))
          const isPlain = !isTakenUp && !journal.hasBlobs
          await kept.put({ ...listed(run), ...(isPlain && { isPlain }) })
          if (isTakenUp) await letGo(id)
          if (++endedCount % PRUNE_EVERY === 0) void kept.prune().catch(notPruned)
        } catch (failure) {
          deps.log("warn", `the end of ${id} could not be kept: ${String(failure)}`)
        }
        live.delete(id)
        remember(run)
      },
    })
    return run
  }

  const notPruned = (error: unknown): void => deps.log("warn", `old runs could not be forgotten: ${String(error)}`)

  function remember(run: Run): void {
    if (run.value.length > LARGE_VALUE) return
    recent.set(run.id, run)
    if (recent.size > REMEMBERED) recent.delete(recent.keys().next().value as string)
  }

  function listed({ id, start, status, endedAt, usage, error }: Run): ListedRun {
    return {
      run: id,
      at: start.at,
      title: start.script ?? titleOf(start.code),
      status,
      holder: holders.me,
      ...(endedAt !== undefined && { endedAt }),
      calls: usage.calls,
      ...(error && { error }),
    }
  }

  /** Hosts of every script, and of the servers that this one uses. */
  function allowedHosts(script: PreparedScript) {
    const { sandbox: settings, servers } = deps.config()
    const used = (script.ok ? script.servers : [])?.map(name => catalog.names.server(name)?.member.name)
    const own = servers.filter(({ name }) => used === undefined || used.includes(name))
    return allowList([
      ...settings.network.map(host => ({ host, from: "sandbox.network" })),
      ...own.flatMap(({ name, network }) => network.map(host => ({ host, from: `mcpServers.${name}.network` }))),
    ])
  }

  async function readResult(id: string): Promise<string> {
    if (!id.startsWith("cid://")) return recent.get(id)?.value || kept.value(id)
    const blob = await state.blobs.get(id.slice("cid://".length))
    if (!blob) throw new YardError("unknown_resource", `there is nothing at ${id}`)
    const text = Buffer.from(blob.bytes)
    if (/[/+]json\b/.test(blob.mediaType)) return text.toString("utf8")
    return JSON.stringify(blob.mediaType.startsWith("text/") ? text.toString("utf8") : text.toString("base64"))
  }

  async function saveAs(run: Run, name: string): Promise<void> {
    try {
      const { code } = run.start
      const saved = await scripts.save({ name, code, ...(await inputSchema(code)) })
      run.savedAs = `${saved.name}@${saved.version}`
    } catch (error) {
      run.logs.push({ level: "warn", text: `it could not be saved as ${name}: ${(error as Error).message}` })
    }
  }

  async function inputSchema(code: string): Promise<Pick<SavedScript, "inputSchema" | "description">> {
    const script = theChecker().prepare(code)
    if (!script.ok) throw typeError(script.problems, code)
    const { schema, description } = await theChecker().inputSchemaOf(script, types.declarations())
    return { inputSchema: schema, ...(description !== undefined && { description }) }
  }

  /** Undefined when the script is known to be right; else resolves to what is wrong. */
  function checkScript(script: PreparedScript): Promise<YardError | undefined> {
    return theChecker()
      .check(script, types.declarations())
      .then(
        found => (found.length > 0 ? typeError(found, script.code) : undefined),
        // A compiler that fails must not keep scripts from running.
        (error: unknown) => {
          deps.log("warn", `a script could not be checked and runs unchecked: ${String(error)}`)
          return undefined
        },
      )
  }

  async function startRun(
    request: RunRequest,
    call: Call,
    more: { replayOf?: string; seed?: number } = {},
  ): Promise<Run> {
    if (closing) throw new YardError("interrupted", "toolyard is being stopped")
    const depth = call instanceof RunCall ? call.run.depth + 1 : 0
    if (depth > MAX_DEPTH) throw new YardError("limit_calls", `scripts may run one another ${MAX_DEPTH} deep`)
    const saved = request.script === undefined ? undefined : await scripts.get(request.script)
    const code = saved?.code ?? request.code ?? ""
    const { timeoutMs } = request
    const { network, ...own } = limits()
    const start: StartRow = {
      t: "start",
      at: Date.now(),
      code,
      ...(saved && { script: `${saved.name}@${saved.version}` }),
      ...(request.input !== undefined && { input: JSON.stringify(request.input) }),
      ...(request.readOnly !== undefined && { readOnly: request.readOnly }),
      ...(request.saveAs !== undefined && { saveAs: request.saveAs }),
      check: request.check !== false,
      ...(request.background === true && { background: true }),
      limits: timeoutMs === undefined ? own : { ...own, timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS) },
      seed: more.seed ?? 1 + Math.floor(Math.random() * 2 ** 31),
      caller: call.caller,
      ...(more.replayOf !== undefined && { replayOf: more.replayOf }),
    }
    const id = createId()
    const script = theChecker().prepare(code)
    const run = create(id, start, script, depth)
    live.set(id, run)
    await keepStart(run)
    if (!script.ok) run.stop("failed", typeError(script.problems, code))
    return run
  }

  /** Before anything can happen: a run that nobody can find must not have done anything. */
  async function keepStart(run: Run): Promise<void> {
    try {
      await holders.ready()
      await state.store.append(streamOf(run.id), [run.start])
      await kept.put(listed(run))
    } catch (error) {
      live.delete(run.id)
      throw error
    }
  }

  /** While `work` lasts, `call` is the one who waits for the run. */
  async function attend(
    run: Run,
    call: Call,
    watch: ExecuteOptions["watch"],
    work: () => Promise<void>,
  ): Promise<void> {
    run.attach(call)
    const unwatch = watch && run.watch(watch)
    try {
      await work()
    } finally {
      unwatch?.()
      await run.detach(call)
    }
  }

  return {
    async execute(request, call, { waitMs, watch, toTheEnd } = {}) {
      const run = await startRun(request, call)
      const cancel: AbortListener = { onAbort: reason => run.stop("cancelled", reason) }
      if (!run.isOver) {
        call.onAbort(cancel)
        const { background } = request
        const patience = background === true ? 0 : typeof background === "number" ? background : waitMs
        await attend(run, call, watch, () => {
          run.begin(run.start.check ? checkScript(run.script) : undefined)
          return run.settle(call, patience, toTheEnd)
        })
        call.offAbort(cancel)
      } else await run.settle(call, undefined)
      return toReport(run, state.blobs)
    },

    async resume(runId, call, { decision, reason, cancel, waitMs = RESUME_WAIT_MS, watch } = {}) {
      const run = live.get(runId) ?? recent.get(runId) ?? (await takeUp(runId))
      await attend(run, call, watch, async () => {
        if (cancel) run.stop("cancelled", new YardError("cancelled", "the run was cancelled"))
        else if (decision !== undefined) {
          const by = call.caller.client ?? call.caller.surface
          // What a script that it runs waits for stands under that one's id.
          const inner = run.approvals.flatMap(approval => (approval.runId === runId ? [] : [approval.id]))
          for (const id of inner.length > 0 ? inner : [runId])
            await deps.approvals.decide(id, decision, { by, ...(reason !== undefined && { reason }) })
          await run.decided()
        }
        await run.settle(call, run.isOver ? undefined : waitMs)
      })
      return toReport(run, state.blobs)
    },

    async replay(runId, call) {
      const { start } = await kept.record(runId)
      // A replay has no answers but those of the first run.
      const { replayOf = runId } = start
      const record = await kept.record(replayOf)
      const request: RunRequest = {
        code: start.code,
        ...(start.input !== undefined && { input: JSON.parse(start.input) as unknown }),
        check: false,
      }
      const run = await startRun(request, call, { replayOf, seed: start.seed })
      if (!run.isOver) {
        await run.replay(record)
        await attend(run, call, undefined, () => run.settle(call, undefined))
      }
      return toReport(run, state.blobs)
    },

    async revive() {
      for (const { run, holder } of await kept.unfinished()) {
        if (live.has(run) || (await holders.isTaken(holder))) continue
        await takeUp(run).catch((error: unknown) => deps.log("warn", `${run} could not be taken up: ${String(error)}`))
      }
    },

    inputSchema,

    warm() {
      theSandbox().warm()
      void theChecker()
        .warm(types.declarations())
        .catch(() => {})
    },

    close() {
      closing ??= (async () => {
        await Promise.all(takingUp.values()).catch(() => {})
        await Promise.all([...live.values()].map(run => run.suspend()))
        await Promise.all([sandbox?.close(), checker?.close(), fetcher?.close(), holders.close()])
      })()
      return closing
    },
  }

  /** A run that is not of this process: taken over if its own is gone, shown as it is if it has ended. */
  function takeUp(runId: string): Promise<Run> {
    if (closing) return Promise.reject(new YardError("interrupted", "toolyard is being stopped"))
    const taking = takingUp.get(runId) ?? takeUpNow(runId).finally(() => takingUp.delete(runId))
    takingUp.set(runId, taking)
    return taking
  }

  async function takeUpNow(runId: string): Promise<Run> {
    const ended = await showEnded(runId, await kept.record(runId))
    if (ended) return ended
    await holders.ready()
    const row = await kept.get(runId)
    if (row && (await holders.isTaken(row.holder)))
      throw new YardError("unknown_run", `run "${runId}" is held by another toolyard (process ${row.holder.pid})`, {
        hint: "Ask that hub: set TOOLYARD_URL, or run the command in its folder.",
      })
    if (!(await holders.claim(runId)))
      throw new YardError("unknown_run", `run "${runId}" is being taken up by another toolyard`)
    // Read again: another may have taken it up, and ended it, before this one had it for itself.
    const record = await kept.record(runId)
    const { start, calls } = record
    const over = await showEnded(runId, record)
    if (over) {
      await holders.release(runId)
      return over
    }
    const script = theChecker().prepare(start.code)
    const run = create(runId, start, script, 0, true)
    const isWaiting = [...calls.values()].some(({ status }) => status === "waiting")
    await kept.put({ ...listed(run), status: isWaiting ? "waiting" : "running", calls: calls.size })
    live.set(runId, run)
    try {
      if (!script.ok) run.stop("failed", typeError(script.problems, start.code))
      // Once it has made a call, its check had passed.
      else if (record.isBackground || isWaiting)
        await run.revive(record, start.check && calls.size === 0 ? checkScript(script) : undefined)
      else {
        await run.remember(record)
        run.stop("failed", new YardError("interrupted", "toolyard was stopped while the run was under way"))
      }
    } catch (error) {
      // It stays as it was for the next who asks for it.
      live.delete(runId)
      throw error
    }
    return run
  }

  async function showEnded(runId: string, record: RunRecord): Promise<Run | undefined> {
    if (!record.end) return undefined
    const run = create(runId, record.start, theChecker().prepare(record.start.code), 0)
    await run.remember(record)
    remember(run)
    // The process may have died before it came to the list.
    if ((await kept.get(runId))?.endedAt === undefined) await kept.put(listed(run))
    return run
  }

  /** What an earlier process had asked for it is asked no longer, and who holds it matters no more. */
  async function letGo(runId: string): Promise<void> {
    const reason = "the run has ended"
    await deps.approvals.decide(runId, "deny", { by: "toolyard", reason }).catch(() => {})
    await holders.release(runId)
  }
}

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000

function typeError(problems: Parameters<typeof formatDiagnostics>[0], code: string): YardError {
  return new YardError("type_error", formatDiagnostics(problems, code), { data: { problems: problems.slice(0, 10) } })
}

function titleOf(code: string): string {
  const line = code.split("\n").find(text => text.trim() !== "" && !/^\s*(import|\/\/|\/\*)/.test(text)) ?? ""
  return line.trim().slice(0, 80)
}
