/** What takes part in the bench: something that answers `tools/call` of the echo server. */
import type { Processes } from "../processes.ts"

export interface ToolCall {
  name: "echo" | "big"
  arguments: Record<string, unknown>
}

export interface Contestant {
  name: string
  /** The goals compare `toolyard` with the best `peer`; a `baseline` is there to judge both by. */
  role: "baseline" | "peer" | "toolyard"
  /** Why it can't take part, if it can't. */
  absent?(): string | undefined
  start(context: StartContext): Promise<Running>
}

export interface StartContext {
  processes: Processes
  /** A folder of its own. */
  folder: string
}

export interface Running {
  /** The root of the gateway's processes; absent where there is no gateway. */
  pid?: number
  openLanes(count: number): Promise<Lane[]>
}

/** One caller with one call under way at a time. */
export interface Lane {
  /** The whole reply, as bytes. */
  call(tool: ToolCall): Promise<Buffer>
  close(): void
}
