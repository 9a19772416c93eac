/** One run inside the sandbox process: its machine, what it has used up, and what it waits for. */
import type { RunLimits } from "../../model/run.ts"
import type { Vm, VmFailure, VmHost, VmStart } from "../engine.ts"
import { encodeFrame, FRAME, type FrameKind } from "../frames.ts"

/** The limits that are kept where the script runs. */
export type ChildLimits = Pick<RunLimits, "cpuMs" | "maxCalls" | "maxCallsInFlight" | "maxLogBytes" | "maxResultBytes">

export interface Used {
  cpuMs: number
  calls: number
  logBytes: number
}

/** What a process lends to its runs. */
export interface Turns {
  send(frame: Buffer): void
  /** Lets the other runs have their turn while this one computes. */
  serveOthers(): void
  names(server: string | undefined): string
}

type Reason = "limit_cpu" | "limit_logs" | "limit_result" | "stopped"

/** How often, in ms, a script that computes is looked after. */
const LOOK_EVERY_MS = 4
/** A script that has computed for so long in one go keeps its process busy. */
const BUSY_AFTER_MS = 20

export class ChildRun implements VmHost {
  readonly used: Used
  readonly #number: number
  readonly #limits: ChildLimits
  readonly #turns: Turns
  #vm: Vm | undefined
  #inFlight = 0
  #isOver = false
  /** Why it must end, once it must. */
  #reason: Reason | undefined
  #isComputing = false
  #stepStart = 0
  #lookedAt = 0
  /** Time of this step that others had. */
  #lent = 0
  #cpuAtLook: NodeJS.CpuUsage | undefined
  /** Whether the hub was told that this process is busy. */
  #saidBusy = false
  /** Answers that came while the script was computing. */
  #held: { id: number; ok: boolean; json: string }[] = []

  constructor(number: number, limits: ChildLimits, used: Used, inFlight: number, turns: Turns) {
    this.#number = number
    this.#limits = limits
    this.used = used
    this.#inFlight = inFlight
    this.#turns = turns
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get isComputing(): boolean {
    return this.#isComputing
  }

  start(vm: Vm, start: VmStart): void {
    this.#vm = vm
    this.#step(() => vm.start(start))
  }

  restored(vm: Vm): void {
    this.#vm = vm
    this.#answerHeld()
  }

  answer(id: number, ok: boolean, json: string): void {
    if (this.#isOver) return
    if (this.#isComputing || !this.#vm) {
      this.#held.push({ id, ok, json })
      return
    }
    const vm = this.#vm
    this.#inFlight--
    this.#step(() => vm.answer(id, ok, json))
  }

  /** At once when it waits; else as soon as its script can be interrupted. */
  stop(because = ""): void {
    if (this.#isOver) return
    this.#reason ??= "stopped"
    if (!this.#isComputing) this.#finish(FRAME.stopped, because)
  }

  /** Undefined while it computes or when it is over. */
  snapshot(): Uint8Array | undefined {
    return this.#isComputing || this.#isOver ? undefined : this.#vm?.snapshot()
  }

  // ---- what the machine tells ----

  call(id: number, kind: string, payload: string): string | undefined {
    const { maxCalls, maxCallsInFlight, maxResultBytes } = this.#limits
    if (kind !== "timer") {
      if (this.used.calls >= maxCalls) return refusal("limit_calls", `a run may make ${maxCalls} calls`)
      this.used.calls++
    }
    if (this.#inFlight >= maxCallsInFlight)
      return refusal("limit_calls_in_flight", `a run may have ${maxCallsInFlight} calls under way at once`)
    if (payload.length > maxResultBytes)
      return refusal("limit_result", `the arguments of a call may have ${maxResultBytes} bytes`)
    this.#inFlight++
    this.#turns.send(encodeFrame(FRAME.call, this.#number, id, `${kind} ${payload}`))
    return undefined
  }

  names(server: string | undefined): string {
    return this.#turns.names(server)
  }

  log(level: string, text: string): void {
    this.used.logBytes += text.length + 1
    if (this.used.logBytes > this.#limits.maxLogBytes) this.#reason ??= "limit_logs"
    else if (this.#reason === undefined) this.#turns.send(encodeFrame(FRAME.log, this.#number, 0, `${level} ${text}`))
  }

  end(how: "value" | "error" | "stuck", json: string): void {
    if (this.#isOver || this.#reason) return
    if (json.length > this.#limits.maxResultBytes) {
      this.#reason = "limit_result"
      return
    }
    this.#finish(how === "value" ? FRAME.value : FRAME.error, how === "stuck" ? STUCK : json)
  }

  interrupt(): boolean {
    const now = performance.now()
    if (now - this.#lookedAt < LOOK_EVERY_MS) return this.#reason !== undefined
    this.#turns.serveOthers()
    const after = performance.now()
    this.#lent += after - now
    this.#lookedAt = after
    this.#cpuAtLook ??= process.cpuUsage()
    if (!this.#saidBusy && this.#computed(after) > BUSY_AFTER_MS) {
      this.#saidBusy = true
      this.#turns.send(encodeFrame(FRAME.busy, this.#number, 1))
    }
    if (this.used.cpuMs + this.#computed(after) > this.#limits.cpuMs && this.#hasComputed())
      this.#reason ??= "limit_cpu"
    return this.#reason !== undefined
  }

  /** On a machine with more to do than it can, time goes by that the script did not have. */
  #hasComputed(): boolean {
    const { user, system } = process.cpuUsage(this.#cpuAtLook)
    return this.used.cpuMs + LOOK_EVERY_MS + (user + system) / 1000 > this.#limits.cpuMs
  }

  #computed(now: number): number {
    return now - this.#stepStart - this.#lent
  }

  #step(work: () => VmFailure | undefined): void {
    this.#isComputing = true
    this.#stepStart = performance.now()
    this.#lookedAt = this.#stepStart
    this.#lent = 0
    this.#cpuAtLook = undefined
    const failure = work()
    this.used.cpuMs += this.#computed(performance.now())
    this.#isComputing = false
    if (this.#saidBusy) {
      this.#saidBusy = false
      this.#turns.send(encodeFrame(FRAME.busy, this.#number, 0))
    }
    if (this.#isOver) return
    const reason = this.#reason ?? toReason(failure)
    if (reason !== undefined) {
      this.#finish(FRAME.stopped, reason === "stopped" ? "" : reason)
      return
    }
    this.#answerHeld()
  }

  #answerHeld(): void {
    const next = this.#held.shift()
    if (next) this.answer(next.id, next.ok, next.json)
  }

  #finish(kind: FrameKind, body: string): void {
    this.#isOver = true
    const cpuMs = this.used.cpuMs + (this.#isComputing ? this.#computed(performance.now()) : 0)
    this.#turns.send(encodeFrame(kind, this.#number, Math.round(cpuMs * 1000), body))
  }
}

function toReason(failure: VmFailure | undefined): string | undefined {
  if (failure === undefined) return undefined
  return failure === "memory" ? "limit_memory" : failure
}

const STUCK = JSON.stringify({
  name: "Stuck",
  message: "the script waits for something that will never come: no call, fetch or timer is under way",
})

const refusal = (code: string, message: string): string => JSON.stringify({ code, message })
