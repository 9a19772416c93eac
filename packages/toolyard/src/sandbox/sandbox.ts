/** The sandbox as the rest of toolyard sees it: start a script, answer what it asks for, hear how it ended. */
import type { RunLimits } from "../model/run.ts"

export interface SandboxScript {
  /** JavaScript: an expression that is an async function of `input`. */
  code: string
  /** JSON text. */
  input: string | undefined
  limits: RunLimits
  seed: number
}

/** A run that is taken up again where its snapshot was taken. */
export interface SandboxSnapshot {
  bytes: Uint8Array
  limits: RunLimits
  used: { cpuMs: number; calls: number; logBytes: number }
  /** Calls and timers that it waits for; each will be answered under its old id. */
  inFlight: number
}

export type SandboxEnd =
  /** JSON text; empty for no value. */
  | { how: "value"; json: string; cpuMs: number }
  /** JSON text of `{ name, message, stack, tool? }`. */
  | { how: "error"; json: string; cpuMs: number }
  /** A limit that is kept by the sandbox itself, `trap`, `stack`, or empty when it was told to stop. */
  | { how: "stopped"; reason: string; cpuMs: number }
  | { how: "crashed"; message: string }

export interface SandboxHost {
  /** `kind` is tool, fetch, timer, search or results; the payload is JSON text that an untrusted script made. */
  call(id: number, kind: string, payload: string): void
  log(level: string, text: string): void
  /** The last that is heard of the run. */
  ended(end: SandboxEnd): void
}

export interface SandboxRun {
  /** JSON text; what comes after the end of the run is dropped. */
  answer(id: number, json: string | Uint8Array): void
  fail(id: number, json: string): void
  /** Ends it; `ended` follows, by force if need be. */
  stop(): void
  /**
   * `undefined` while it computes, and when it has ended. `onTaken` is told what it had computed, at the moment at which
   * what the script said until then has been told, and nothing later.
   */
  snapshot(onTaken?: (cpuMs: number) => void): Promise<Uint8Array | undefined>
}

export interface Sandbox {
  /** Gets processes ready, if none are. */
  warm(): void
  start(script: SandboxScript, host: SandboxHost): SandboxRun
  restore(snapshot: SandboxSnapshot, host: SandboxHost): SandboxRun
  /** What `Object.keys(tools)` shows: tool names by server name, as JSON text. */
  setNames(json: string): void
  close(): Promise<void>
}
