/** The declarations that a script is checked against: what the sandbox has, and the tools of every server. */

/** Types of the servers' tools: each text is a module that exports its part of `interface Tools`. */
export interface Declarations {
  /** Another one for other texts: what was checked against a version is not checked against it again. */
  readonly version: number | string
  /** By server. */
  readonly files: ReadonlyMap<string, string>
}

export const ROOT = "/toolyard-check"
export const SCRIPT = `${ROOT}/script.ts`
export const GLOBALS = `${ROOT}/globals.d.ts`
export const CONFIG = `${ROOT}/tsconfig.json`

/** Strict about tools and values; lenient about what a short script needs no types for. */
const TSCONFIG = {
  compilerOptions: {
    // With `noImplicitAny`, for only so does `const all = []` take the type of what is pushed; what else it finds is left out.
    strict: true,
    noImplicitThis: false,
    useUnknownInCatchVariables: false,
    strictPropertyInitialization: false,
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    moduleDetection: "force",
    lib: ["es2025", "esnext.disposable", "esnext.array"],
    types: [],
    paths: { toolyard: ["./toolyard.d.ts"] },
    skipLibCheck: true,
    noEmit: true,
  },
  files: ["script.ts", "globals.d.ts"],
}

const GLOBALS_TEXT = `declare const tools: import("toolyard").Tools
declare const search: typeof import("toolyard").search
declare const results: typeof import("toolyard").results
declare const input: any
declare const ToolError: typeof import("toolyard").ToolError
type ToolError = import("toolyard").ToolError

interface Console {
  log(...values: unknown[]): void
  info(...values: unknown[]): void
  debug(...values: unknown[]): void
  warn(...values: unknown[]): void
  error(...values: unknown[]): void
  trace(...values: unknown[]): void
  dir(...values: unknown[]): void
  table(...values: unknown[]): void
  group(...values: unknown[]): void
  groupEnd(): void
  time(label?: string): void
  timeEnd(label?: string): void
  timeLog(label?: string, ...values: unknown[]): void
  count(label?: string): void
  assert(condition?: unknown, ...values: unknown[]): void
}
declare const console: Console

declare class URL {
  constructor(url: string | URL, base?: string | URL)
  static canParse(url: string | URL, base?: string | URL): boolean
  static parse(url: string | URL, base?: string | URL): URL | null
  href: string
  readonly origin: string
  protocol: string
  username: string
  password: string
  host: string
  hostname: string
  port: string
  pathname: string
  search: string
  hash: string
  readonly searchParams: URLSearchParams
  toString(): string
  toJSON(): string
}
declare class URLSearchParams {
  constructor(init?: string | Iterable<readonly [string, string]> | Record<string, string> | URLSearchParams)
  readonly size: number
  append(name: string, value: string): void
  delete(name: string, value?: string): void
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string, value?: string): boolean
  set(name: string, value: string): void
  sort(): void
  forEach(each: (value: string, name: string, all: URLSearchParams) => void): void
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
  entries(): IterableIterator<[string, string]>
  [Symbol.iterator](): IterableIterator<[string, string]>
  toString(): string
}
declare class TextEncoder {
  readonly encoding: string
  encode(text?: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  readonly encoding: string
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string
}
type HeadersInit = Headers | Iterable<readonly [string, string]> | Record<string, string>
declare class Headers {
  constructor(init?: HeadersInit)
  append(name: string, value: string): void
  delete(name: string): void
  get(name: string): string | null
  getSetCookie(): string[]
  has(name: string): boolean
  set(name: string, value: string): void
  forEach(each: (value: string, name: string, all: Headers) => void): void
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
  entries(): IterableIterator<[string, string]>
  [Symbol.iterator](): IterableIterator<[string, string]>
}
interface Response {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly url: string
  readonly redirected: boolean
  readonly headers: Headers
  readonly bodyUsed: boolean
  text(): Promise<string>
  json(): Promise<any>
  bytes(): Promise<Uint8Array>
  arrayBuffer(): Promise<ArrayBuffer>
}
interface RequestInit {
  method?: string
  headers?: HeadersInit
  body?: string | ArrayBuffer | Uint8Array | URLSearchParams | null
}
declare function fetch(url: string | URL, init?: RequestInit): Promise<Response>
declare const crypto: {
  randomUUID(): string
  getRandomValues<T extends ArrayBufferView>(array: T): T
  readonly subtle: any
}
declare function structuredClone<T>(value: T): T
declare function atob(base64: string): string
declare function btoa(text: string): string
declare function queueMicrotask(work: () => void): void
declare const performance: { now(): number }
declare function setTimeout(work: (...args: any[]) => void, ms?: number, ...args: any[]): number
declare function setInterval(work: (...args: any[]) => void, ms?: number, ...args: any[]): number
declare function setImmediate(work: (...args: any[]) => void, ...args: any[]): number
declare function clearTimeout(timer?: number): void
declare function clearInterval(timer?: number): void
declare function clearImmediate(timer?: number): void
`

const MODULE = `export declare const tools: Tools
export default tools
export interface SearchHit {
  /** \`server__tool\` */
  id: string
  server: string
  /** As the server calls it. */
  name: string
  score: number
  /** How the tool is called, in TypeScript. */
  signature: string
}
/** The tools that fit the query best. */
export declare function search(
  query: string,
  options?: { server?: string; limit?: number; offset?: number },
): Promise<SearchHit[]>
export declare const results: {
  /** The value of an earlier run. */
  get(runId: string): Promise<any>
}
export declare const input: any
/** What a failed call throws. */
export declare class ToolError extends Error {
  readonly server: string
  readonly tool: string
  readonly code: string
  readonly data: any
}
`

/** The files that the compiler sees, but for the script and the servers' own. */
export function ambientFiles(servers: Iterable<string>): Map<string, string> {
  const names = [...servers].toSorted()
  const imports = names.map((name, i) => `import type { Tools as T${i} } from "${moduleOf(name)}"\n`)
  const exports = names.map(name => `export * from "${moduleOf(name)}"\n`)
  const parts = names.map((_, i) => `T${i}`).join(", ")
  const tools = `export interface Tools${parts && ` extends ${parts}`} {}\n`
  return new Map([
    [CONFIG, JSON.stringify(TSCONFIG)],
    [GLOBALS, GLOBALS_TEXT],
    [`${ROOT}/toolyard.d.ts`, [...imports, ...exports, tools, MODULE].join("")],
  ])
}

/** A server's name may hold anything; a path may not. */
const moduleOf = (server: string): string => `./servers/${encodeURIComponent(server).replaceAll(".", "%2E")}`

export const serverFile = (server: string): string => `${ROOT}/${moduleOf(server).slice(2)}.d.ts`
