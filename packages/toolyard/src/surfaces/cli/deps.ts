/** What the command line is given by the application: it may not reach for sources, configuration or the hub itself. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { Member } from "../../catalog/member.ts"
import type { CodeMode } from "../../code/code-mode.ts"
import type { ApiServer, ApiTool } from "../../model/api.ts"
import type { ConfigProblem, ServerConfig, YardConfig } from "../../model/config.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Audit, AuditRow } from "../../policy/audit.ts"
import type { Blobs, State } from "../../state/types.ts"
import type { Io } from "./io.ts"

/** Which yard is meant: a file that was named, or whatever is found from the working folder upwards. */
export interface Where {
  cwd: string
  config?: string
}

export interface OpenedYard {
  readonly config: YardConfig
  readonly catalog: Catalog
  readonly audit: Audit
  readonly code: CodeMode
  readonly connected: Promise<void>
  close(): Promise<void>
}

export interface RunningHub {
  readonly yard: OpenedYard
  /** Without the token. */
  readonly url: string
  readonly token: string | undefined
  close(): Promise<void>
}

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface ServeRequest extends Where {
  /** The configuration itself, in place of any file. */
  content?: object
  host: string
  port: number
  auth: boolean
  token?: string
  watch: boolean
  logLevel: LogLevel
  /** False to leave no trace on the disk. */
  keep?: boolean
  /** Where what must last is kept, if not beside the configuration. */
  folder?: string
  readOnly?: boolean
  prepare?: (state: State) => Promise<void>
}

export interface StdioRequest extends Where {
  server?: string
  logLevel: LogLevel
}

export interface FoundFiles {
  root: string
  project?: string
  user?: string
}

export interface ImageNeeds {
  variables: string[]
  programs: string[]
  addresses: string[]
}

/** What `image build` made. */
export interface BuiltImage {
  id: string
  file: string
  size: number
  files: number
  blobs: number
  scripts: number
  needs: ImageNeeds
  warnings: string[]
}

/** An image that was read and verified. */
export interface OpenedImage {
  readonly id: string
  readonly size: number
  readonly manifest: {
    createdBy: string
    config: string
    needs: ImageNeeds
    files: { path: string; cid: string; size: number; mode: string }[]
    blobs: { cid: string; size: number; mediaType: string }[]
    scripts: { name: string; cid: string; size: number }[]
  }
  /** Puts its files into a folder of this user's own; gives its configuration. */
  unpack(): Promise<{ root: string; config: string }>
  /** Puts what it holds besides files into the state of a yard. */
  fill(state: State): Promise<void>
  close(): Promise<void>
}

/** A server that is to be made from a prompt. */
export interface BootRequest extends Where {
  name: string
  prompt: string
  /** Hosts that it may reach besides those that the prompt and its documents name. */
  allow: string[]
  /** What the configuration says when neither is given. */
  provider?: string
  model?: string
  apiKey?: string
  baseUrl?: string
  /** In place of `.toolyard` in the project's folder. */
  folder?: string
  /** False to make everything anew, also what was edited. */
  cache: boolean
  /** True to make the plan and nothing else. */
  dryRun: boolean
  signal: AbortSignal
  onEvent(event: BootEvent): void
}

/** Something that happened on the way: a step, or one exchange with a model. */
export type BootEvent =
  | { type: "step"; step: string; message: string; data?: JsonObject }
  | { type: "usage"; step: string; ms: number; inputTokens?: number; outputTokens?: number; requestId?: string }

export interface BootedServer {
  /** `provider/name`; none when none was needed. */
  model?: string
  /** `described`: the documentation is a description, and no model was needed. */
  how: "cached" | "generated" | "described" | "planned"
  tools: { name: string; description: string }[]
  quarantined: { name: string; reason: string }[]
  whitelist: string[]
  warnings: string[]
  /** Files that were edited by hand and are kept. */
  edited: string[]
  folder?: string
  /** What `--dry-run` prints. */
  plan: unknown
}

export interface EjectRequest extends Where {
  server: string
  folder: string
  /** Writes into a folder that holds something already. */
  force: boolean
  signal: AbortSignal
}

/** What `eject` wrote. */
export interface EjectedServer {
  server: string
  type: string
  folder: string
  files: string[]
  tools: string[]
  variables: { name: string; purpose: string; required: boolean }[]
  warnings: string[]
}

/** Every function loads what it needs when it is called, so that a command pays only for what it uses. */
export interface CliDeps {
  readonly version: string
  serve(request: ServeRequest, onStray: StrayListener): Promise<RunningHub>
  /** Resolves when the client has left or the signal fires. */
  serveStdio(request: StdioRequest, signal: AbortSignal, onStray: StrayListener): Promise<void>
  openYard(where: Where & { only?: (server: ServerConfig) => boolean; keep?: boolean }): Promise<OpenedYard>
  showServer(): Promise<{ server: (member: Member) => ApiServer; tool: (tool: ToolOf) => ApiTool }>
  /** The audit of a yard whose hub is not running; none when nothing was ever kept there. */
  openAudit(
    folder: string,
  ): Promise<{ tail(limit: number, server?: string): Promise<AuditRow[]>; close(): Promise<void> }>
  findFiles(where: Where): Promise<FoundFiles>
  loadConfig(where: Where): Promise<YardConfig>
  userFile(): Promise<string | undefined>
  checkEntry(name: string, entry: JsonObject, root: string): Promise<Omit<ConfigProblem, "file">[]>
  setServer(file: string, name: string, entry: JsonObject): Promise<void>
  removeServer(file: string, name: string): Promise<boolean>
  schemaUrl(): Promise<string>
  /** The blobs of the yard in this folder, told what is wrong with them; with `create`, also where none were kept before. */
  openBlobs(folder: string, report: (problem: string) => void, create?: boolean): Promise<Blobs>
  boot(request: BootRequest): Promise<BootedServer>
  buildImage(where: Where & { output: string; include?: string[] }): Promise<BuiltImage>
  /** From a file or from bytes; anything but the image that it claims to be is refused. */
  openImage(from: string | Uint8Array, id?: string): Promise<OpenedImage>
  ejectServer(request: EjectRequest): Promise<EjectedServer>
}

type ToolOf = Catalog extends { tools(): (infer Tool)[] } ? Tool : never

/** Lets a long-running command take the errors that nobody caught. */
export type StrayListener = (listener: (error: unknown) => void) => void

/** What every command gets. */
export interface Context {
  readonly deps: CliDeps
  readonly io: Io
  /** Fires on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  readonly onStray: StrayListener
}

/** A command's action: the exit code, or nothing for 0. */
export type Action<Options> = (context: Context, options: Options, ...args: never[]) => Promise<number | undefined>
