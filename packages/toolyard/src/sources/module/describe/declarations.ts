/** Declarations for modules in whose folders nothing is installed: of `toolyard`, and of what every Node has. */

/** What a module imports from `toolyard`, where that package can't be found from it. */
export const TOOLYARD = `export interface ToolLog {
  (message: string, data?: unknown): void
  debug(message: unknown, data?: unknown): void
  info(message: unknown, data?: unknown): void
  warn(message: unknown, data?: unknown): void
  error(message: unknown, data?: unknown): void
}
export interface ToolContext {
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly caller?: Record<string, unknown>
  progress(done: number, total?: number, message?: string): void
  readonly log: ToolLog
  ask<T>(message: string, schema: { "~standard": { types?: { output: T } | undefined } }): Promise<T>
  ask(message: string, schema?: Record<string, unknown>): Promise<Record<string, unknown>>
  sample(params: Record<string, unknown>): Promise<Record<string, unknown>>
  call(tool: string, args?: Record<string, unknown>): Promise<any>
}
export declare class Declined extends Error {
  readonly action: "decline" | "cancel"
}
export declare class ToolError extends Error {
  readonly server: string
  readonly tool: string
  readonly code: string
  readonly data: unknown
}
`

/** The globals of Node whose types matter in a signature, where `@types/node` can't be found. */
export const GLOBALS = `declare class URL { constructor(url: string | URL, base?: string | URL); href: string; toJSON(): string }
declare class Buffer extends Uint8Array<ArrayBuffer> {
  static from(data: unknown, encoding?: string): Buffer
  toString(encoding?: string): string
}
declare class AbortSignal { readonly aborted: boolean; readonly reason: any; throwIfAborted(): void }
declare class ReadableStream<R = any> { getReader(): any; [Symbol.asyncIterator](): AsyncIterator<R> }
declare class Blob { readonly size: number; readonly type: string; text(): Promise<string>; bytes(): Promise<Uint8Array> }
declare class File extends Blob { readonly name: string }
declare class Response {
  readonly ok: boolean
  readonly status: number
  readonly headers: any
  readonly body: ReadableStream | null
  text(): Promise<string>
  json(): Promise<any>
  arrayBuffer(): Promise<ArrayBuffer>
}
declare function fetch(input: string | URL, init?: any): Promise<Response>
declare function setTimeout(run: (...args: any[]) => void, ms?: number, ...args: any[]): any
declare function structuredClone<T>(value: T): T
declare function btoa(data: string): string
declare function atob(data: string): string
declare const console: any
declare const process: any
declare const crypto: any
declare const performance: { now(): number }
declare class TextEncoder { encode(text?: string): Uint8Array<ArrayBuffer> }
declare class TextDecoder { constructor(label?: string, options?: any); decode(data?: unknown): string }
`
