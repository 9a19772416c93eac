/**
 * The sandbox process. It has no environment, reads no file but the engine's, and knows only two pipes: frames in on
 * stdin, frames out on stdout. Many runs live in it side by side; while the script of one computes, the others get their
 * turns from within its interrupt handler, so that none of them waits for it.
 */
import { readSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import type { Engine, Vm, VmHost } from "../engine.ts"
import { encodeFrame, FRAME, type Frame, FrameReader } from "../frames.ts"
import { createQuickJsEngine } from "../quickjs/engine.ts"
import { type ChildLimits, ChildRun, type Used } from "./run.ts"

/** More machines are made when fewer than so many stand ready. */
const FEW = 4
/** Machines that are kept, after many runs at once. */
const MANY = 32
/** For so long; a quiet process holds no more than it needs. */
const IDLE_MS = 30_000
/** How many computing scripts may stand one in another. */
const MAX_DEPTH = 6
const MAX_FRAME = 256 * 1024 * 1024

/** What comes with `start` and `restore`, as JSON. */
export interface RunSetup {
  limits: ChildLimits
  used: Used
  /** Calls that are under way, of a run that is restored. */
  inFlight: number
  seed: number
  input?: string
  code?: string
}

Error.stackTraceLimit = 0
const [memoryMb = "64", ...paths] = process.argv.slice(2)
const engine: Engine = await createQuickJsEngine(paths, Number(memoryMb) * 1024 * 1024)

const runs = new Map<number, { run: ChildRun; vm: Vm | undefined }>()
/** A machine tells its host, which changes with every run. */
interface Slot {
  vm: Vm
  host: { current: ChildRun | undefined }
}
const ready: Slot[] = []
/** Runs, by number, that wait for a machine to be made or to become free. */
const queue = new Map<number, (slot: Slot) => void>()
const slots = new Map<Vm, Slot>()
/** Whom a machine tells while it is made. */
const NOBODY: VmHost = { call: () => "{}", names: () => "[]", log: () => {}, end: () => {}, interrupt: () => false }
const reader = new FrameReader(MAX_FRAME)
const nestedInput = Buffer.allocUnsafe(64 * 1024)
let names: Record<string, string[]> = {}
let out: Buffer[] = []
let depth = 0
let isRefilling = false
let shrinking: NodeJS.Timeout | undefined

const turns = {
  send: (frame: Buffer) => {
    out.push(frame)
  },
  names: (server: string | undefined): string => {
    if (typeof server !== "string") return JSON.stringify(Object.keys(names))
    return JSON.stringify(Object.hasOwn(names, server) ? names[server] : [])
  },
  serveOthers(): void {
    // A machine can't be made while a script computes: another process takes those that wait for one.
    for (const number of queue.keys()) bounce(number)
    flush()
    if (depth >= MAX_DEPTH) return
    depth++
    try {
      const bytes = readSync(0, nestedInput)
      if (bytes === 0) process.exit(0)
      receive(Buffer.from(nestedInput.subarray(0, bytes)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
    } finally {
      depth--
    }
  },
}

/** stdout blocks: the hub always reads, so this never waits for long. */
function flush(): void {
  if (out.length === 0) return
  const bytes = out.length === 1 ? (out[0] as Buffer) : Buffer.concat(out)
  out = []
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

function receive(piece: Buffer): void {
  reader.push(piece, handle)
  handOut()
}

/** Takes machines back from the runs that are over, and gives them to those that wait. */
function handOut(): void {
  for (;;) {
    flush()
    for (const [number, { run, vm }] of runs) if (run.isOver && !run.isComputing) release(number, vm)
    const [next] = queue
    const slot = next && ready.pop()
    if (!slot) break
    queue.delete(next[0])
    next[1](slot)
  }
  refillSoon()
}

function bounce(number: number): void {
  queue.delete(number)
  runs.delete(number)
  turns.send(encodeFrame(FRAME.bounced, number, 0))
}

function handle({ kind, run: number, id, body }: Frame): void {
  if (kind === FRAME.start) {
    const setup = JSON.parse(body.toString()) as RunSetup
    const run = new ChildRun(number, setup.limits, setup.used, 0, turns)
    const entry: { run: ChildRun; vm: Vm | undefined } = { run, vm: undefined }
    runs.set(number, entry)
    const begin = ({ vm, host }: Slot): void => {
      host.current = run
      entry.vm = vm
      run.start(vm, { code: setup.code ?? "", input: setup.input, seed: setup.seed })
    }
    const slot = ready.pop()
    if (slot) begin(slot)
    else if (depth > 0) bounce(number)
    else queue.set(number, begin)
  } else if (kind === FRAME.restore && depth > 0) {
    bounce(number)
  } else if (kind === FRAME.restore) {
    const headBytes = body.readUInt32LE(0)
    const setup = JSON.parse(body.toString("utf8", 4, 4 + headBytes)) as RunSetup
    const run = new ChildRun(number, setup.limits, setup.used, setup.inFlight, turns)
    const entry: { run: ChildRun; vm: Vm | undefined } = { run, vm: undefined }
    runs.set(number, entry)
    engine
      .restore(body.subarray(4 + headBytes), () => run)
      .then(
        vm => {
          entry.vm = vm
          run.restored(vm)
        },
        (error: unknown) => run.stop(`trap: the snapshot cannot be restored: ${String(error)}`),
      )
      .then(handOut)
  } else if (kind === FRAME.answer || kind === FRAME.failure) {
    runs.get(number)?.run.answer(id, kind === FRAME.answer, body.toString())
  } else if (kind === FRAME.stop) {
    runs.get(number)?.run.stop()
  } else if (kind === FRAME.snapshot) {
    const run = runs.get(number)?.run
    const cpuMs = run?.used.cpuMs ?? 0
    turns.send(encodeFrame(FRAME.snapshotted, number, Math.round(cpuMs * 1000), run?.snapshot()))
  } else if (kind === FRAME.ping) {
    turns.send(encodeFrame(FRAME.pong, 0, Math.round(process.memoryUsage.rss() / 1024)))
  } else if (kind === FRAME.names) {
    names = JSON.parse(body.toString()) as Record<string, string[]>
  }
}

function release(number: number, vm: Vm | undefined): void {
  runs.delete(number)
  queue.delete(number)
  if (!vm) return
  const slot = slots.get(vm)
  if (slot && ready.length < MANY && vm.reset()) {
    slot.host.current = undefined
    ready.push(slot)
    if (ready.length > FEW) shrinkLater()
    return
  }
  slots.delete(vm)
  vm.dispose()
}

function shrinkLater(): void {
  clearTimeout(shrinking)
  shrinking = setTimeout(() => {
    for (const { vm } of ready.splice(FEW)) {
      slots.delete(vm)
      vm.dispose()
    }
  }, IDLE_MS)
}

async function createSlot(): Promise<Slot> {
  const host: Slot["host"] = { current: undefined }
  const vm = await engine.create(() => host.current ?? NOBODY)
  const slot = { vm, host }
  slots.set(vm, slot)
  return slot
}

/** One machine at a time: between two, what has arrived gets its turn. */
function refillSoon(): void {
  if (isRefilling || (ready.length >= FEW && queue.size === 0)) return
  isRefilling = true
  setImmediate(async () => {
    const slot = await createSlot()
    isRefilling = false
    ready.push(slot)
    handOut()
  })
}

ready.push(await createSlot())
refillSoon()
const input = new Socket({ fd: 0, readable: true, writable: false })
input.on("data", receive)
// The hub is gone: so are we, whatever a script may be doing.
input.on("close", () => process.exit(0))
turns.send(encodeFrame(FRAME.ready, 0, process.pid))
flush()
