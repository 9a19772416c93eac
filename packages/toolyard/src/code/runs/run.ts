/**
 * One run: the calls that its script makes, and what is told of it. Everything goes into its record first, so that
 * another process can take it up: a call that may have had its effect is never made twice without the script being told.
 */
import type { AbortListener, Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import type { Approval, RunError, RunEvent, RunLog, RunStatus, RunUsage } from "../../model/run.ts"
import type { SandboxEnd } from "../../sandbox/sandbox.ts"
import type { PreparedScript } from "../../sandbox/typescript/prepare.ts"
import { type Answer, type CallState, errorIn, isDone, isListed, toCallInfo, toToolError } from "./call-state.ts"
import { RunClock } from "./clock.ts"
import { Machine, type MachineDeps } from "./machine.ts"
import { errorOf, toRunError } from "./outcome.ts"
import { type RunRecord, readAnswers, readKept, usableSnapshot } from "./record.ts"
import type { StartRow } from "./rows.ts"
import { RunCall, type RunOfCall, toRunCaller } from "./run-call.ts"

export interface RunDeps extends MachineDeps {
  /** Does what a script asks for; resolves to JSON text. */
  perform(call: RunCall, kind: string, payload: string): Promise<string>
  /** Whether a call may be made again when it is not known whether it was made. */
  mayRepeat(state: CallState): boolean
  /** The tool's id for what a script called it. */
  nameOf(kind: string, payload: string): string
  /** It waits for a person, or no longer. */
  changed(run: Run): Promise<void>
  ended(run: Run): Promise<void>
}

/** How long a run in the background is left alone before its machine is written down. */
const KEEP_AFTER_MS = 500
/** The same for one that was last written down long ago. */
const KEEP_EVERY_MS = 10_000
/** How long a decision may take to get from the store to the run. */
const DECISION_MS = 3_000
/** How long anybody waits for a machine to be written down; the record is there in any case. */
const KEEP_WITHIN_MS = 2_000

const DIVERGED = "the script took another path when it was taken up again, so what it did cannot be told apart"

export class Run implements RunOfCall {
  readonly id: string
  readonly start: StartRow
  readonly depth: number
  readonly script: PreparedScript
  calls = new Map<number, CallState>()
  logs: RunLog[] = []
  status: RunStatus = "running"
  error: RunError | undefined
  /** JSON text; empty for no value. */
  value = ""
  endedAt: number | undefined
  /** The script as which the code was kept. */
  savedAs: string | undefined
  readonly #deps: RunDeps
  readonly #caller: Caller
  /** Those who wait for it. */
  readonly #attending: Call[] = []
  readonly #machine: Machine
  readonly #clock: RunClock
  readonly #watchers = new Set<(event: RunEvent) => void>()
  /** By the call that waits, or by the approval for what a script that it runs waits for. */
  readonly #waiting = new Map<number | string, Approval>()
  /** Of these, what those who wait for the run are asked. */
  readonly #asked = new Set<number | string>()
  readonly #open = new Map<number, RunCall>()
  /** The run that this one replays. */
  #replayed: { calls: Map<number, CallState>; answers: Map<number, Answer> } | undefined
  #gate: Promise<unknown> | undefined
  #isBackground: boolean
  #isSuspended = false
  #keepTimer: NodeJS.Timeout | undefined
  #keptAt: number
  #cpuMs = 0
  #progress = 0
  #settled: (() => void)[] = []
  #ending: Promise<void> | undefined

  constructor(id: string, start: StartRow, script: PreparedScript, depth: number, deps: RunDeps) {
    this.id = id
    this.start = start
    this.script = script
    this.depth = depth
    this.#deps = deps
    this.#keptAt = Date.now()
    this.#isBackground = start.background === true
    const { limits } = start
    this.#caller = toRunCaller(start)
    this.#clock = new RunClock(limits.timeoutMs, () => this.#outOfTime())
    this.#machine = new Machine(limits, deps, {
      call: (id, kind, payload) => this.#afterCheck(() => this.#called(id, kind, payload)),
      log: (level, text) => this.#afterCheck(() => this.#logged(level as RunLog["level"], text)),
      ended: end => this.#afterCheck(() => this.#ended(end)),
      lost: error => this.stop("failed", error),
    })
  }

  get isOver(): boolean {
    return this.endedAt !== undefined
  }

  /** Who came last is told and asked. */
  get outer(): Call | undefined {
    return this.#attending.at(-1)
  }

  get approvals(): Approval[] {
    return [...this.#waiting.values()]
  }

  get usage(): RunUsage {
    const ms = (this.endedAt ?? Date.now()) - this.start.at
    return { ms, cpuMs: Math.round(this.#cpuMs * 1000) / 1000, calls: this.listed().length }
  }

  /** Whether it outlasts its process. */
  get #isLasting(): boolean {
    return this.#isBackground || this.status === "waiting"
  }

  listed(): CallState[] {
    return [...this.calls.values()].filter(isListed)
  }

  done(): Approval["done"] {
    return this.listed()
      .filter(isDone)
      .map(({ tool, status }) => ({ tool, status }))
  }

  // ---- its life ----

  /** `check` resolves when the script may act; until then it runs, but nothing that it asks for is done. */
  begin(check: Promise<YardError | undefined> | undefined): void {
    if (!this.script.ok) throw new YardError("internal", "a script that was refused cannot run")
    if (check) {
      this.#gate = check.then(problem => {
        this.#gate = undefined
        if (problem) this.stop("failed", problem)
      })
    }
    const { input, limits, seed } = this.start
    this.#machine.start({ code: this.script.js, input, limits, seed })
    this.#clock.start()
  }

  /** Takes it up where its record ends. */
  async revive(record: RunRecord, check: Promise<YardError | undefined> | undefined): Promise<void> {
    this.#isBackground = true
    if (!record.isBackground) this.#deps.journal.note({ t: "background" })
    this.calls = record.calls
    this.logs = record.logs
    const { blobs, engine } = this.#deps
    const snapshot = await usableSnapshot(record, engine(), blobs)
    this.#machine.recall(snapshot, await readAnswers(record, snapshot, blobs), record.logs.length)
    if (!snapshot) {
      this.begin(check)
      return
    }
    this.#clock.start()
    for (const id of snapshot.inFlight) {
      const state = this.calls.get(id)
      if (state && !isDone(state)) this.#again(state)
    }
    this.#machine.pass()
  }

  /** The script again, with the answers of an earlier run; what has none there fails. */
  async replay(record: RunRecord): Promise<void> {
    const answers = await readAnswers(record, undefined, this.#deps.blobs)
    this.#replayed = { calls: record.calls, answers }
    this.#machine.recall(undefined, new Map(answers), 0)
    this.begin(undefined)
  }

  /** What an earlier process knew of it, to be shown. */
  async remember(record: RunRecord): Promise<void> {
    this.calls = record.calls
    this.logs = record.logs
    const { end } = record
    if (!end) return
    this.status = end.status
    this.error = end.error
    this.endedAt = end.at
    this.savedAs = end.script
    this.#cpuMs = end.usage.cpuMs
    this.value = (end.value && (await readKept(end.value, this.#deps.blobs))) ?? ""
  }

  /** A decision was made: resolves when it has reached the run, or its process is slow to hear of it. */
  async decided(): Promise<void> {
    if (this.status !== "waiting") return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      timer = setTimeout(resolve, DECISION_MS)
      this.#settled.push(resolve)
    })
    clearTimeout(timer)
  }

  /** Ends it now; `status` and `error` are what is told of it. */
  stop(status: "failed" | "cancelled", error: YardError): void {
    if (!this.#isSuspended) this.#finish(status, toRunError(error))
  }

  /** The hub stops: what may go on later is left as it is. Resolves when nothing more will be written. */
  async suspend(): Promise<void> {
    const reason = new YardError("interrupted", "toolyard was stopped while the run was under way")
    if (!this.#isLasting) this.stop("failed", reason)
    if (!this.isOver) await this.#keepSoonEnough()
    if (!this.isOver) {
      this.#isSuspended = true
      this.#machine.stop()
      this.#clock.stop()
      clearTimeout(this.#keepTimer)
      for (const call of this.#open.values()) call.abort(reason)
      this.#look()
    }
    await this.#ending
    // A record that cannot be written must not keep the hub from stopping.
    await this.#deps.journal.flush().catch(() => {})
  }

  attach(call: Call): void {
    this.#attending.push(call)
  }

  /** When nobody waits for it any more it is to be finished all the same. Resolves when that is written down. */
  async detach(call: Call): Promise<void> {
    this.#attending.splice(this.#attending.indexOf(call), 1)
    if (this.#attending.length > 0) return
    this.#asked.clear()
    if (this.isOver || this.#isSuspended) return
    const wasBackground = this.#isBackground
    this.#isBackground = true
    this.#keepSoon()
    if (wasBackground) return
    await this.#deps.journal.write({ t: "background" }).catch(error => this.#notKept(error))
  }

  /** Resolves when it has ended, or waits for people who are not asked by those who wait here, or the time is up. */
  async settle(call: Call, ms: number | undefined, toTheEnd = false): Promise<void> {
    const isLeft = (): boolean => !toTheEnd && this.status === "waiting" && this.#asked.size === 0
    const isSettled = (): boolean => this.isOver || this.#isSuspended || isLeft()
    if (isSettled()) return
    await new Promise<void>(resolve => {
      let timer: NodeJS.Timeout | undefined
      const listener: AbortListener = { onAbort: () => finish() }
      const look = (): void => {
        if (isSettled()) finish()
        else this.#settled.push(look)
      }
      const finish = (): void => {
        clearTimeout(timer)
        call.offAbort(listener)
        resolve()
      }
      if (ms !== undefined) timer = setTimeout(finish, ms)
      call.onAbort(listener)
      look()
    })
  }

  watch(listener: (event: RunEvent) => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  // ---- what its calls tell ----

  waits(callId: number, approval: Approval, isAsked = false): void {
    const state = this.calls.get(callId)
    if (this.isOver || !state) return
    state.status = "waiting"
    this.#startWaiting(callId, approval, isAsked)
    const written = this.#deps.journal.write({ t: "waiting", id: callId })
    // First kept, then told: whoever hears of it may take the process down.
    void Promise.all([written, this.#deps.changed(this)])
      .then(() => this.#keepSoonEnough())
      .catch(error => this.#notKept(error))
      .finally(() => this.#look())
  }

  /** Not in its record as waiting: the call of that script has begun, and may not be made again. */
  waitsWith(approval: Approval, isAsked: boolean): void {
    if (this.isOver) return
    this.#startWaiting(approval.id, approval, isAsked)
    void this.#deps
      .changed(this)
      .catch(error => this.#notKept(error))
      .finally(() => this.#look())
  }

  #startWaiting(id: number | string, approval: Approval, isAsked: boolean): void {
    this.#waiting.set(id, approval)
    if (isAsked) this.#asked.add(id)
    this.status = "waiting"
    this.#clock.stop()
    this.#tell({ type: "status", status: "waiting", approvals: this.approvals })
  }

  goesOn(approvalId: string): void {
    this.#noLongerWaits(approvalId)
  }

  unanswered(id: number | string): void {
    this.#asked.delete(id)
    this.#look()
  }

  async approved(callId: number): Promise<void> {
    await this.#deps.journal.write({ t: "approved", id: callId })
    this.#noLongerWaits(callId)
  }

  #noLongerWaits(id: number | string): void {
    const state = typeof id === "number" ? this.calls.get(id) : undefined
    if (state?.status === "waiting") state.status = "running"
    this.#asked.delete(id)
    if (!this.#waiting.delete(id) || this.#waiting.size > 0 || this.isOver) return
    this.status = "running"
    this.#clock.start()
    void this.#deps.changed(this).catch(error => this.#notKept(error))
    this.#tell({ type: "status", status: "running" })
    this.#look()
  }

  // ---- what its machine tells ----

  /** What a script does before it was found right does not count. */
  #afterCheck(work: () => void): void {
    if (this.#gate) void this.#gate.then(() => this.isOver || this.#isSuspended || work())
    else work()
  }

  #logged(level: RunLog["level"], text: string): void {
    const log = { level, text }
    this.logs.push(log)
    this.#deps.journal.note({ t: "log", ...log })
    this.#tell({ type: "log", ...log })
  }

  #ended(end: SandboxEnd): void {
    if (end.how !== "crashed") this.#cpuMs = end.cpuMs
    if (end.how === "value") {
      this.value = end.json
      this.#finish("completed", undefined)
    } else this.#finish("failed", errorOf(end, this.script, this.start.limits))
  }

  #called(id: number, kind: string, payload: string): void {
    const known = (this.#replayed?.calls ?? this.calls).get(id)
    if (known && (known.payload !== payload || known.kind !== kind))
      this.stop("failed", new YardError("interrupted", DIVERGED))
    else if (this.#replayed) this.#repeat(known)
    else if (known) this.#again(known)
    else {
      const tool = this.#deps.nameOf(kind, payload)
      const state: CallState = { id, kind, tool, at: Date.now(), payload, status: "running" }
      this.calls.set(id, state)
      void this.#make(state)
    }
  }

  async #make(state: CallState): Promise<void> {
    try {
      await this.#deps.journal.write(this.#rowOf(state))
    } catch (error) {
      this.#notKept(error)
    }
    if (!this.isOver && !this.#isSuspended) await this.#perform(state)
  }

  #rowOf({ id, kind, tool, at, payload }: CallState) {
    return this.#deps.journal.holding(payload, kept => ({ t: "call", id, kind, tool, at, payload: kept }))
  }

  /** A call of the run that is replayed. */
  #repeat(past: CallState | undefined): void {
    const answer = past && this.#replayed?.answers.get(past.id)
    if (!answer) {
      this.stop("failed", new YardError("interrupted", "the record ends here: the run that is replayed got no further"))
      return
    }
    const state = { ...past, at: Date.now() }
    this.calls.set(past.id, state)
    this.#deps.journal.note(this.#rowOf(state))
    this.#close(state, answer, past.ms ?? 0)
    this.#machine.pass()
  }

  /** A call of an earlier life: its answer if it is known, else by the rule. */
  #again(state: CallState): void {
    if (isDone(state)) this.#machine.pass()
    else if (state.status === "waiting" || this.#deps.mayRepeat(state)) void this.#perform(state)
    else {
      const message = `it is not known whether ${state.tool} was called before toolyard stopped`
      const text = toToolError(state, new YardError("interrupted", message))
      this.#close(state, { ok: false, text }, 0)
      this.#machine.give(state.id, { ok: false, text })
    }
  }

  async #perform(state: CallState): Promise<void> {
    const { id, kind, tool } = state
    const started = performance.now()
    const call = new RunCall(this, id, this.#caller)
    this.#open.set(id, call)
    if (isListed(state)) this.#report(state)
    let answer: Answer
    try {
      // A timer that was set in an earlier life has run on meanwhile.
      const left = kind === "timer" ? JSON.stringify(Number(state.payload) - (Date.now() - state.at)) : state.payload
      const text = await this.#deps.perform(call, kind, left)
      const { maxResultBytes } = this.start.limits
      if (text.length > maxResultBytes)
        throw new YardError("limit_result", `the answer of ${tool} has more than ${maxResultBytes} bytes`)
      answer = { ok: true, text }
    } catch (error) {
      answer = { ok: false, text: toToolError(state, toYardError(error)) }
    } finally {
      this.#open.delete(id)
    }
    // What was stopped with the hub is taken up with the run.
    if (this.isOver || this.#isSuspended) return
    this.#close(state, answer, performance.now() - started)
    this.#noLongerWaits(id)
    if (isListed(state)) this.#report(state)
    this.#machine.give(id, answer)
    this.#keepSoon()
  }

  /** The row comes before all that the script does with the answer. */
  #close(state: CallState, { ok, text }: Answer, ms: number): void {
    state.status = ok ? "ok" : "error"
    state.ms = Math.round(ms * 1000) / 1000
    if (!ok) state.error = errorIn(text)
    const { journal } = this.#deps
    const { id, ms: took } = state
    const row = journal.holding(text, answer => ({ t: "done", id, ok, ms: took, answer }))
    // What is to outlast the process had better know at once: an answer that is lost is an interrupted call.
    if (this.#isLasting) journal.write(row).catch(error => this.#notKept(error))
    else journal.note(row)
  }

  #report(state: CallState): void {
    const call = toCallInfo(state)
    this.#tell({ type: "call", call })
    const { outer } = this
    if (!outer?.wantsProgress) return
    const how = { running: "calling", ok: "done:", error: "failed:", waiting: "waiting for approval:" }[call.status]
    outer.progress({ progress: ++this.#progress, message: `${how} ${call.tool}` })
  }

  // ---- what is kept of it ----

  #keepSoon(): void {
    if (!this.#isLasting || this.isOver || this.#isSuspended) return
    // Each sign of life puts it off, but not for ever.
    if (this.#keepTimer && Date.now() - this.#keptAt > KEEP_EVERY_MS) return
    clearTimeout(this.#keepTimer)
    this.#keepTimer = setTimeout(() => void this.#keep(), KEEP_AFTER_MS)
  }

  /** A machine that only people can move is given up until they have. */
  async #keep(): Promise<void> {
    clearTimeout(this.#keepTimer)
    this.#keepTimer = undefined
    this.#keptAt = Date.now()
    const onlyPeople = (): boolean => [...this.#machine.pending].every(id => this.#waiting.has(id))
    try {
      if (this.#gate || !(await this.#machine.keep(onlyPeople))) this.#keepSoon()
    } catch {
      // It goes on as it is: what it does is in its record all the same.
    }
  }

  async #keepSoonEnough(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>(resolve => {
      timer = setTimeout(resolve, KEEP_WITHIN_MS)
    })
    await Promise.race([this.#keep(), late])
    clearTimeout(timer)
  }

  /** What cannot be written down must not happen. */
  #notKept(error: unknown): void {
    this.stop("failed", toYardError(error))
  }

  // ---- its end ----

  #outOfTime(): void {
    const { timeoutMs } = this.start.limits
    const data = { limit: "timeoutMs", value: timeoutMs }
    const late = new YardError("limit_time", `the run took longer than ${timeoutMs} ms`, { data })
    this.stop("failed", this.#machine.isBehind ? new YardError("interrupted", DIVERGED) : late)
  }

  #finish(status: RunStatus, error: RunError | undefined): void {
    if (this.isOver) return
    this.status = status
    this.error = error
    this.endedAt = Date.now()
    this.#machine.stop()
    this.#clock.stop()
    clearTimeout(this.#keepTimer)
    if (this.#open.size > 0) {
      const reason = new YardError("cancelled", "the run has ended")
      for (const call of this.#open.values()) call.abort(reason)
    }
    for (const state of this.listed()) if (!isDone(state)) this.#leave(state, error)
    this.#waiting.clear()
    const { snapshotCid } = this.#machine
    this.#ending = this.#deps
      .ended(this)
      .then(() => (snapshotCid === undefined ? undefined : this.#deps.journal.drop(snapshotCid)))
      // What is left over goes with the record.
      .catch(() => {})
      .then(() => {
        this.#tell({ type: "status", status })
        this.#look()
      })
  }

  /** A call that the end of the run overtook. */
  #leave(state: CallState, error: RunError | undefined): void {
    const why =
      state.status === "waiting"
        ? "it was not made: the run ended before a person had decided"
        : "the run ended before it was answered; it may have had its effect"
    const code = error?.code === "interrupted" ? "interrupted" : "cancelled"
    this.#close(state, { ok: false, text: toToolError(state, new YardError(code, why)) }, Date.now() - state.at)
  }

  #look(): void {
    for (const look of this.#settled.splice(0)) look()
  }

  #tell(event: RunEvent): void {
    for (const watcher of this.#watchers) watcher(event)
  }
}
