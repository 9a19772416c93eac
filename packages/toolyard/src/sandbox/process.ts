/** One sandbox process as the hub sees it: its runs, its pipe, and the watch over both. */
import type { ChildProcess } from "node:child_process"
import type { RunSetup } from "./child/main.ts"
import { encodeFrame, FRAME, type Frame, FrameReader } from "./frames.ts"
import type { SandboxHost, SandboxRun, SandboxScript, SandboxSnapshot } from "./sandbox.ts"

/** A snapshot of a run with the most memory there can be. */
const MAX_FRAME = 1024 * 1024 * 1024
/** How long a process may take to stop a script before it is killed. */
const GRACE_MS = 2_000
/** A process that has not answered the last ping by the next is stalled. */
const PING_EVERY_MS = 500

export interface ProcessEvents {
  ready(): void
  /** It is gone, with whatever ran in it. */
  gone(error: string): void
  /** A run has ended, or a script no longer computes. */
  freed(): void
  /** The process is busy and has no machine for this run, or is stalled and has not begun it. */
  bounced(host: SandboxHost): void
}

interface Entry {
  host: SandboxHost
  cpuMs: number
  /** Whether anything was heard of it: a run that said nothing can be run again. */
  hasSpoken: boolean
  snapshots: ((bytes: Uint8Array | undefined, cpuMs?: number) => void)[]
  killTimer: NodeJS.Timeout | undefined
}

export class SandboxProcess {
  readonly runs = new Map<number, Entry>()
  isReady = false
  isGone = false
  /** No longer given new runs. */
  isRetiring = false
  started = 0
  memoryKb = 0
  /** Scripts that compute at the moment. */
  busy = 0
  /** Has no machine left while one computes. */
  isFull = false
  /** Answers nothing: a script is in a function of the engine that can't be interrupted. */
  isStalled = false
  readonly #child: ChildProcess
  readonly #events: ProcessEvents
  #written: Buffer[] = []
  #heardAt = 0
  #pingedAt = 0
  #pingTimer: NodeJS.Timeout | undefined
  #numbers = 0

  constructor(child: ChildProcess, events: ProcessEvents) {
    this.#child = child
    this.#events = events
    const reader = new FrameReader(MAX_FRAME)
    child.stdout?.on("data", (piece: Buffer) => {
      this.#heardAt = performance.now()
      try {
        reader.push(piece, frame => this.#receive(frame))
      } catch {
        this.kill()
      }
      if (!this.isStalled) return
      this.isStalled = false
      this.#events.freed()
    })
    // Writing to a process that has just died; its end is told below.
    child.stdin?.on("error", () => {})
    child.on("error", error => this.#end(error.message))
    child.on("close", (code, signal) => this.#end(signal ? `it was ended by ${signal}` : `it ended with code ${code}`))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  start({ code, input, limits, seed }: SandboxScript, host: SandboxHost): SandboxRun {
    const used = { cpuMs: 0, calls: 0, logBytes: 0 }
    const setup: RunSetup = { limits, used, inFlight: 0, seed, code, ...(input !== undefined && { input }) }
    return this.#enter(host, limits.cpuMs, number => encodeFrame(FRAME.start, number, 0, JSON.stringify(setup)))
  }

  restore({ bytes, limits, used, inFlight }: SandboxSnapshot, host: SandboxHost): SandboxRun {
    const head = Buffer.from(JSON.stringify({ limits, used, inFlight, seed: 1 } satisfies RunSetup))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(head.length)
    const body = Buffer.concat([length, head, bytes])
    return this.#enter(host, limits.cpuMs, number => encodeFrame(FRAME.restore, number, 0, body))
  }

  setNames(json: string): void {
    this.#write(encodeFrame(FRAME.names, 0, 0, json))
  }

  /** Ends by itself once nothing runs in it. */
  retire(): void {
    this.isRetiring = true
    if (this.runs.size === 0) this.#child.stdin?.end()
  }

  kill(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      // The whole group: `bwrap` stands between us and the process.
      if (process.platform === "win32") this.#child.kill("SIGKILL")
      else process.kill(-pid, "SIGKILL")
    } catch {}
  }

  #enter(host: SandboxHost, cpuMs: number, toFrame: (number: number) => Buffer): SandboxRun {
    const number = ++this.#numbers
    this.started++
    const entry: Entry = { host, cpuMs, hasSpoken: false, snapshots: [], killTimer: undefined }
    this.runs.set(number, entry)
    this.#write(toFrame(number))
    this.#watch()
    return {
      answer: (id, json) => {
        if (this.runs.has(number)) this.#write(encodeFrame(FRAME.answer, number, id, json))
      },
      fail: (id, json) => {
        if (this.runs.has(number)) this.#write(encodeFrame(FRAME.failure, number, id, json))
      },
      stop: () => {
        if (!this.runs.has(number) || entry.killTimer) return
        this.#write(encodeFrame(FRAME.stop, number, 0))
        entry.killTimer = setTimeout(() => this.#force(number, entry), GRACE_MS)
      },
      snapshot: onTaken => {
        if (!this.runs.has(number)) return Promise.resolve(undefined)
        return new Promise(resolve => {
          entry.snapshots.push((bytes, cpuMs) => {
            if (bytes && cpuMs !== undefined) onTaken?.(cpuMs)
            resolve(bytes)
          })
          this.#write(encodeFrame(FRAME.snapshot, number, 0))
        })
      },
    }
  }

  /** Frames of one turn of the event loop go out together. */
  #write(frame: Buffer): void {
    this.#written.push(frame)
    if (this.#written.length > 1) return
    queueMicrotask(() => {
      const frames = this.#written
      this.#written = []
      this.#child.stdin?.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames))
    })
  }

  #receive({ kind, run, id, body }: Frame): void {
    if (kind === FRAME.ready) {
      this.isReady = true
      this.#events.ready()
      return
    }
    if (kind === FRAME.pong) {
      this.memoryKb = id
      return
    }
    const entry = this.runs.get(run)
    if (kind === FRAME.busy) {
      this.busy += id === 1 ? 1 : -1
      if (this.busy === 0) {
        this.isFull = false
        this.#events.freed()
      }
      return
    }
    if (!entry) return
    const { host } = entry
    if (kind === FRAME.bounced) {
      this.#leave(run, entry)
      this.isFull = true
      this.#events.bounced(host)
      return
    }
    entry.hasSpoken = true
    switch (kind) {
      case FRAME.call: {
        const space = body.indexOf(32)
        host.call(id, body.toString("latin1", 0, space), body.toString("utf8", space + 1))
        break
      }
      case FRAME.log: {
        const space = body.indexOf(32)
        host.log(body.toString("latin1", 0, space), body.toString("utf8", space + 1))
        break
      }
      case FRAME.snapshotted:
        entry.snapshots.shift()?.(body.length === 0 ? undefined : body, id / 1000)
        break
      case FRAME.value:
      case FRAME.error:
        this.#leave(run, entry)
        host.ended({ how: kind === FRAME.value ? "value" : "error", json: body.toString(), cpuMs: id / 1000 })
        break
      case FRAME.stopped:
        this.#leave(run, entry)
        host.ended({ how: "stopped", reason: body.toString(), cpuMs: id / 1000 })
        break
    }
  }

  /**
   * It was told to stop and did not. If the process is well, the script of another computes on top of it: it will end
   * when that has ended, and nothing that it says counts any more.
   */
  #force(number: number, entry: Entry): void {
    if (this.isStalled || !this.isReady) {
      this.kill()
      return
    }
    this.#leave(number, entry)
    entry.host.ended({ how: "stopped", reason: "", cpuMs: 0 })
  }

  #leave(number: number, entry: Entry): void {
    this.runs.delete(number)
    this.isFull = false
    clearTimeout(entry.killTimer)
    for (const resolve of entry.snapshots) resolve(undefined)
    if (this.runs.size === 0) {
      clearInterval(this.#pingTimer)
      this.#pingTimer = undefined
      if (this.isRetiring) this.#child.stdin?.end()
    }
    this.#events.freed()
  }

  /** A process in which nothing moves, not even its interrupt handler, is killed: no script may hold it for ever. */
  #watch(): void {
    if (this.#pingTimer) return
    this.#heardAt = performance.now()
    this.#pingedAt = this.#heardAt
    // What has arrived while the hub itself was held up is read before anything is concluded.
    this.#pingTimer = setInterval(() => setImmediate(() => this.#look()), PING_EVERY_MS)
    this.#pingTimer.unref()
  }

  #look(): void {
    if (this.isGone || this.runs.size === 0) return
    if (this.#heardAt < this.#pingedAt) {
      this.isStalled = true
      const patience = Math.max(...[...this.runs.values()].map(({ cpuMs }) => cpuMs)) + GRACE_MS
      if (performance.now() - this.#heardAt <= patience) this.#giveBack()
      else this.#giveUp()
      return
    }
    this.#pingedAt = performance.now()
    this.#write(encodeFrame(FRAME.ping, 0, 0))
  }

  /** A run that is alone in it is the one that would not end; of several, nobody knows which. */
  #giveUp(): void {
    const [[number, entry] = [], ...others] = this.runs
    if (number !== undefined && entry && others.length === 0) {
      this.#leave(number, entry)
      entry.host.ended({ how: "stopped", reason: "limit_cpu", cpuMs: entry.cpuMs })
    }
    this.kill()
  }

  /** Of the runs that have said nothing, the first may be what holds the process up; the others wait behind it. */
  #giveBack(): void {
    const [, ...behind] = [...this.runs].filter(([, { hasSpoken, killTimer }]) => !hasSpoken && !killTimer)
    for (const [number, entry] of behind) {
      this.#write(encodeFrame(FRAME.stop, number, 0))
      this.#leave(number, entry)
      this.#events.bounced(entry.host)
    }
  }

  #end(error: string): void {
    if (this.isGone) return
    this.isGone = true
    this.isReady = false
    clearInterval(this.#pingTimer)
    for (const entry of this.runs.values()) {
      clearTimeout(entry.killTimer)
      for (const resolve of entry.snapshots) resolve(undefined)
    }
    this.#events.gone(error)
  }
}
