/**
 * The sandbox: a few processes, each with machines that stand ready, and the choice of one for every run. Processes are
 * started ahead and replaced in good time, never while a request waits for them if it can be helped.
 */
import { availableParallelism } from "node:os"
import { SandboxProcess } from "./process.ts"
import type { Sandbox, SandboxHost, SandboxRun, SandboxScript, SandboxSnapshot } from "./sandbox.ts"
import { findBwrap, spawnSandbox } from "./spawn.ts"

const MAX_PROCESSES = 8
/** A process is replaced after so many runs, or with so much memory. */
const RUNS_EACH = 20_000
const MEMORY_KB = 600 * 1024

export interface PoolOptions {
  memoryMb: number
  /** How many processes stand ready. */
  size?: number
  /** False to do without `bwrap` even where it is. */
  confine?: boolean
  log: (level: "info" | "warn", message: string) => void
  /** Told of every process, so that it ends with the hub however the hub ends. */
  onSpawn?: (pid: number) => void
  /** It is gone: its number may soon be another's. */
  onExit?: (pid: number) => void
}

interface Placed {
  place(process: SandboxProcess): SandboxRun
  host: SandboxHost
  run: SandboxRun | undefined
  tries: number
  isStopping: boolean
  /** What was asked of it until it spoke: asked again wherever it is put. */
  asked: ((run: SandboxRun) => void)[] | undefined
}

export function openSandbox(options: PoolOptions): Sandbox {
  const size = options.size ?? Math.max(1, Math.min(4, availableParallelism()))
  let bwrap = options.confine === false ? false : findBwrap()
  let processes: SandboxProcess[] = []
  let waiting: Placed[] = []
  const placed = new Map<SandboxHost, Placed>()
  let names: string | undefined
  let failures = 0
  /** Once a process could be started with `bwrap`, none is started without it. */
  let hasBeenReady = false
  let isClosed = false
  const closing: (() => void)[] = []

  function spawn(): void {
    const confined = bwrap !== false
    let wasReady = false
    const child = spawnSandbox({ memoryMb: options.memoryMb, bwrap })
    const sandboxed: SandboxProcess = new SandboxProcess(child, {
      ready() {
        failures = 0
        wasReady = true
        hasBeenReady = true
        if (names !== undefined) sandboxed.setNames(names)
        putWaiting()
      },
      bounced(host) {
        const entry = placed.get(host)
        if (!entry) return
        entry.run = undefined
        put(entry)
      },
      gone(error) {
        processes = processes.filter(known => known !== sandboxed)
        if (child.pid !== undefined) options.onExit?.(child.pid)
        lost(sandboxed, error)
        for (const done of closing) done()
        if (isClosed || sandboxed.isRetiring) return
        if (!wasReady) failures++
        if (confined && bwrap !== false && !wasReady && !hasBeenReady) {
          options.log("warn", `bwrap cannot be used here (${error}); scripts run without it`)
          bwrap = false
          failures = 0
        }
        if (failures >= 3) {
          options.log("warn", `the sandbox cannot be started: ${error}`)
          const late = waiting
          waiting = []
          for (const entry of late) crash(entry, `the sandbox cannot be started: ${error}`)
          return
        }
        setImmediate(fill)
      },
      freed() {
        putWaiting()
        if (sandboxed.isRetiring || (sandboxed.started < RUNS_EACH && sandboxed.memoryKb < MEMORY_KB)) return
        sandboxed.retire()
        setImmediate(fill)
      },
    })
    if (child.pid !== undefined) options.onSpawn?.(child.pid)
    processes.push(sandboxed)
  }

  function fill(): void {
    if (isClosed) return
    const present = processes.filter(process => !process.isRetiring).length
    for (let missing = size - present; missing > 0; missing--) spawn()
  }

  function putWaiting(): void {
    if (waiting.length === 0) return
    const late = waiting
    waiting = []
    for (const entry of late) put(entry)
  }

  /** The least used of those that are ready, rather one in which no script computes. */
  function choose(): SandboxProcess | undefined {
    let best: SandboxProcess | undefined
    let least = Number.POSITIVE_INFINITY
    for (const process of processes) {
      if (!process.isReady || process.isRetiring || process.isFull || process.isStalled) continue
      const load = process.busy * 1000 + process.runs.size
      if (load < least) {
        least = load
        best = process
      }
    }
    if (!best || best.busy > 0) setImmediate(grow)
    return best
  }

  function grow(): void {
    // One at a time: those that are on their way count.
    const isTaken = ({ isReady, busy, isFull, isStalled }: SandboxProcess): boolean =>
      isReady && (busy > 0 || isFull || isStalled)
    if (!isClosed && processes.length < MAX_PROCESSES && processes.every(isTaken)) spawn()
  }

  function put(entry: Placed): void {
    if (isClosed) {
      crash(entry, "the sandbox is closed")
      return
    }
    const process = choose()
    if (!process) {
      waiting.push(entry)
      failures = failures >= 3 ? 0 : failures
      fill()
      return
    }
    const run = entry.place(process)
    entry.run = run
    for (const ask of entry.asked ?? []) ask(run)
  }

  /** What had not said a word is run again elsewhere, once; the rest is told. */
  function lost(process: SandboxProcess, error: string): void {
    for (const { host, hasSpoken } of process.runs.values()) {
      const entry = placed.get(host)
      if (!entry) continue
      if (entry.isStopping) host.ended({ how: "stopped", reason: "", cpuMs: 0 })
      else if (!hasSpoken && entry.tries === 0 && !isClosed) {
        entry.tries++
        entry.run = undefined
        setImmediate(put, entry)
      } else crash(entry, `the sandbox process died: ${error}`)
    }
    process.runs.clear()
  }

  function crash(entry: Placed, message: string): void {
    placed.delete(entry.host)
    entry.host.ended({ how: "crashed", message })
  }

  function enter(host: SandboxHost, place: (process: SandboxProcess, told: SandboxHost) => SandboxRun): SandboxRun {
    const told: SandboxHost = {
      call(id, kind, payload) {
        entry.asked = undefined
        host.call(id, kind, payload)
      },
      log(level, text) {
        entry.asked = undefined
        host.log(level, text)
      },
      ended(end) {
        placed.delete(told)
        host.ended(end)
      },
    }
    const entry: Placed = {
      place: process => place(process, told),
      host: told,
      run: undefined,
      tries: 0,
      isStopping: false,
      asked: [],
    }
    placed.set(told, entry)
    // Nothing is told before the caller has its run.
    if (isClosed) setImmediate(put, entry)
    else put(entry)
    const ask = (work: (run: SandboxRun) => void): void => {
      if (!placed.has(told)) return
      entry.asked?.push(work)
      if (entry.run) work(entry.run)
    }
    return {
      answer: (id, json) => ask(run => run.answer(id, json)),
      fail: (id, json) => ask(run => run.fail(id, json)),
      stop() {
        entry.isStopping = true
        if (waiting.includes(entry)) {
          waiting = waiting.filter(other => other !== entry)
          setImmediate(() => told.ended({ how: "stopped", reason: "", cpuMs: 0 }))
        } else ask(run => run.stop())
      },
      snapshot: onTaken => entry.run?.snapshot(onTaken) ?? Promise.resolve(undefined),
    }
  }

  return {
    warm: fill,
    start: (script: SandboxScript, host) => enter(host, (process, told) => process.start(script, told)),
    restore: (snapshot: SandboxSnapshot, host) => enter(host, (process, told) => process.restore(snapshot, told)),
    setNames(json) {
      names = json
      for (const process of processes) if (process.isReady) process.setNames(json)
    },
    async close() {
      isClosed = true
      for (const entry of waiting.splice(0)) crash(entry, "the sandbox is closed")
      for (const process of processes) process.kill()
      while (processes.length > 0) await new Promise<void>(resolve => closing.push(resolve))
    },
  }
}
