/**
 * What runs a script: one `Vm` for each run, inside a process of its own. Nothing but text crosses its border.
 * `engine.contract.ts` is what every engine must keep.
 */

/** What a virtual machine tells. All of it comes within `start`, `answer` or `restore`, never by itself. */
export interface VmHost {
  /**
   * The script wants something that lives outside: a tool, a fetch, a timer. It is answered by `vm.answer(id, …)`,
   * or refused on the spot with a text of JSON that becomes the error.
   */
  call(id: number, kind: string, payload: string): string | undefined
  /** The names under `tools`, or under one server of it, as JSON text. */
  names(server: string | undefined): string
  log(level: string, text: string): void
  /** The script has ended: the JSON text of its value (empty for none) or of its error, or it waits for nothing. */
  end(how: "value" | "error" | "stuck", json: string): void
  /** Asked again and again while the script computes: true ends it. */
  interrupt(): boolean
}

export interface VmStart {
  /** JavaScript: an expression that is an async function of `input`. */
  code: string
  /** JSON text. */
  input: string | undefined
  /** Makes `Math.random` differ from run to run. */
  seed: number
}

/** Why a step of the script came to nothing. */
export type VmFailure = "interrupted" | "memory" | "stack" | `trap: ${string}`

export interface Vm {
  /** Runs until nothing can go on without an answer. Returns the reason when the machine broke. */
  start(start: VmStart): VmFailure | undefined
  answer(id: number, ok: boolean, json: string): VmFailure | undefined
  /** The whole machine, to be restored in any process. Only between steps. */
  snapshot(): Uint8Array
  /** Clean again, as if new; false when it can't be and must be thrown away. */
  reset(): boolean
  dispose(): void
}

export interface Engine {
  readonly name: string
  create(host: () => VmHost): Promise<Vm>
  restore(snapshot: Uint8Array, host: () => VmHost): Promise<Vm>
}
