/** What takes part in the bench: something that runs a script that calls tools. */
import type { Processes } from "../gateway/processes.ts"

export interface Contestant {
  name: string
  /** The goals compare `toolyard` with the `peer`s; a `baseline` has no sandbox and is there to judge both by. */
  role: "baseline" | "peer" | "toolyard"
  /** QuickJS interprets, V8 compiles: scripts that compute much are compared among the first kind only. */
  engine: "quickjs" | "v8"
  /** What is measured, and how its scripts reach the tools. */
  how: string
  /** Seconds for a run with many calls: left out of a quick bench unless it is named, and warmed up with little. */
  isSlow?: boolean
  /** Why it can't take part, if it can't. */
  absent?(): string | undefined
  start(context: StartContext): Promise<Running>
}

export interface StartContext {
  processes: Processes
  /** A folder of its own. */
  folder: string
}

/** One column for a while. Only data, because some contestants are measured within a process of their own. */
export interface Job {
  column: string
  ms: number
  /** At least so many samples, unless they take five times as long. */
  least: number
}

export interface Sample {
  /** Of each sample, in ms. */
  times: number[]
  /** Runs that ended, and the time they took together. */
  runs: number
  ms: number
}

export interface Running {
  measure(job: Job): Promise<Sample>
}

/** Something that runs one script at a time and gives its value, or throws. */
export interface Runner {
  run(code: string): Promise<unknown>
  close(): void
}
