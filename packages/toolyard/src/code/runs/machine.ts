/**
 * The machine in which a run's script lives. It can be written down and thrown away while nothing moves it, and is made
 * again, here or in another process, when there is something to tell it. A machine of an older time is brought up to
 * the present by the answers of the record, in the order in which they were first given.
 */
import { YardError } from "../../model/errors.ts"
import type { RunLimits } from "../../model/run.ts"
import type { Sandbox, SandboxHost, SandboxRun, SandboxScript } from "../../sandbox/sandbox.ts"
import type { Blobs } from "../../state/types.ts"
import type { Answer } from "./call-state.ts"
import type { Journal } from "./journal.ts"
import type { SnapshotRow } from "./rows.ts"

export interface MachineDeps {
  sandbox(): Sandbox
  blobs: Blobs
  journal: Journal
  /** The build of the engine that writes and reads snapshots here. */
  engine(): string
}

export interface MachineHost extends SandboxHost {
  /** It sleeps and cannot be woken. */
  lost(error: YardError): void
}

export class Machine {
  readonly #deps: MachineDeps
  readonly #host: MachineHost
  readonly #limits: RunLimits
  /** What the script waits for. */
  readonly #pending = new Set<number>()
  /** What it has not been given yet. */
  readonly #answers = new Map<number, Answer>()
  /** Answers that the record holds: no other is given before them. */
  #recorded: number[] = []
  /** How many of its lines are in the record already. */
  #recordedLogs = 0
  #run: SandboxRun | undefined
  /** Runs of earlier lives are no longer listened to. */
  #life = 0
  #isOver = false
  #waking = false
  #snapshot: SnapshotRow | undefined
  #keeping: Promise<void> = Promise.resolve()
  /** Those answered while a snapshot is on its way: it does not have their answers. */
  #late: number[] | undefined
  /** Counts what it said and was told. */
  #moves = 0
  #lastCall = 0
  #logs = 0
  #used = { calls: 0, logBytes: 0 }

  constructor(limits: RunLimits, deps: MachineDeps, host: MachineHost) {
    this.#limits = limits
    this.#deps = deps
    this.#host = host
  }

  /** What the script waits for. */
  get pending(): ReadonlySet<number> {
    return this.#pending
  }

  /** Whether what the record holds has not all been gone through again. */
  get isBehind(): boolean {
    return this.#recorded.length > 0
  }

  get snapshotCid(): string | undefined {
    return this.#snapshot?.cid
  }

  start(script: SandboxScript): void {
    this.#run = this.#deps.sandbox().start(script, this.#listen())
  }

  /** What an earlier life left: its last snapshot if it can be used, the answers since, and the lines it logged. */
  recall(snapshot: SnapshotRow | undefined, answers: Map<number, Answer>, logs: number): void {
    this.#snapshot = snapshot
    this.#recordedLogs = logs
    if (snapshot) {
      this.#lastCall = snapshot.lastCall
      this.#logs = snapshot.logs
      this.#used = { ...snapshot.used }
      for (const id of snapshot.inFlight) this.#pending.add(id)
    }
    for (const [id, answer] of answers) {
      this.#answers.set(id, answer)
      this.#recorded.push(id)
    }
  }

  give(id: number, answer: Answer): void {
    this.#answers.set(id, answer)
    this.pass()
  }

  /** Gives the script what there is for it, if that is due. */
  pass(): void {
    if (this.#isOver) return
    if (!this.#run) {
      if (this.#snapshot && [...this.#answers.keys()].some(id => this.#pending.has(id))) void this.#wake()
      return
    }
    while (this.#recorded.length > 0) {
      const id = this.#recorded[0] as number
      if (!this.#pending.has(id)) return
      this.#recorded.shift()
      this.#send(id)
    }
    for (const id of [...this.#answers.keys()]) if (this.#pending.has(id)) this.#send(id)
  }

  /**
   * Writes it down; false when that cannot be done at the moment. If nothing has moved meanwhile, and `mayRest` allows
   * it, it sleeps until there is an answer.
   */
  keep(mayRest: () => boolean): Promise<boolean> {
    const kept = this.#keeping.then(() => this.#keep(mayRest))
    this.#keeping = kept.then(
      () => {},
      () => {},
    )
    return kept
  }

  /** Nothing is heard of it any more. */
  stop(): void {
    this.#isOver = true
    this.#life++
    this.#run?.stop()
    this.#run = undefined
    this.#answers.clear()
  }

  #send(id: number): void {
    const { ok, text } = this.#answers.get(id) as Answer
    this.#answers.delete(id)
    this.#moves++
    if (this.#late) this.#late.push(id)
    else this.#pending.delete(id)
    if (ok) this.#run?.answer(id, text)
    else this.#run?.fail(id, text)
  }

  #listen(): SandboxHost {
    const life = ++this.#life
    return {
      call: (id, kind, payload) => {
        if (life !== this.#life) return
        this.#moves++
        this.#pending.add(id)
        this.#lastCall = id
        if (kind !== "timer") this.#used.calls++
        this.#host.call(id, kind, payload)
      },
      log: (level, text) => {
        if (life !== this.#life) return
        this.#logs++
        this.#used.logBytes += text.length + 1
        if (this.#logs > this.#recordedLogs) this.#host.log(level, text)
      },
      ended: end => {
        if (life !== this.#life) return
        this.#life++
        this.#run = undefined
        this.#host.ended(end)
      },
    }
  }

  async #keep(mayRest: () => boolean): Promise<boolean> {
    const run = this.#run
    if (!run) return true
    // What an earlier life did is kept better by its own record until this one has come as far.
    if (this.isBehind) return false
    const { moves, late } = { moves: this.#moves, late: [] as number[] }
    this.#late = late
    let row: Omit<SnapshotRow, "cid"> | undefined
    const bytes = await run.snapshot(cpuMs => {
      row = {
        t: "snapshot",
        engine: this.#deps.engine(),
        // With those that were answered since it was asked for.
        inFlight: [...this.#pending],
        lastCall: this.#lastCall,
        logs: this.#logs,
        used: { ...this.#used, cpuMs },
      }
    })
    this.#late = undefined
    for (const id of late) this.#pending.delete(id)
    if (!bytes || !row || this.#run !== run) return false
    const cid = await this.#deps.journal.keep(bytes, "application/octet-stream")
    const old = this.#snapshot?.cid
    const snapshot: SnapshotRow = { ...row, cid }
    await this.#deps.journal.write(snapshot)
    this.#snapshot = snapshot
    if (old !== undefined && old !== cid) await this.#deps.journal.drop(old)
    if (this.#run === run && moves === this.#moves && this.#pending.size > 0 && mayRest()) {
      this.#life++
      this.#run = undefined
      run.stop()
    }
    return true
  }

  async #wake(): Promise<void> {
    if (this.#waking) return
    this.#waking = true
    const { cid, inFlight, used } = this.#snapshot as SnapshotRow
    try {
      const blob = await this.#deps.blobs.get(cid)
      if (this.#isOver) return
      if (!blob) throw new YardError("interrupted", "the run's snapshot is gone, so it cannot go on")
      const from = { bytes: blob.bytes, limits: this.#limits, used, inFlight: inFlight.length }
      this.#run = this.#deps.sandbox().restore(from, this.#listen())
      this.pass()
    } catch (error) {
      this.#host.lost(error as YardError)
    } finally {
      this.#waking = false
    }
  }
}
