/** The configuration after loading: every variable expanded, every default filled in. */

import type { ReadOnly } from "./caller.ts"
import type { JsonObject } from "./json.ts"
import type { RunLimits } from "./run.ts"

export interface StdioEntry {
  type: "stdio"
  command: string
  args: string[]
  env: Record<string, string>
  cwd?: string
}
export interface HttpEntry {
  type: "http" | "sse"
  url: string
  headers: Record<string, string>
}
/** A file of the project whose functions become tools; run in a process of its own. */
export interface FileEntry {
  type: "module" | "python"
  /** Absolute, or `cid://…` for content of the yard's own. */
  file: string
  /** Added to the small safe set of variables that the process gets. */
  env: Record<string, string>
  /** The Python to run a `python` server with. */
  python?: string
}
/** One tool made from a command line. */
export interface CommandEntry {
  type: "command"
  command: string
  /** `{{name}}` stands for a parameter. */
  args: string[]
  env: Record<string, string>
  cwd: string
  /** What is written to the program; `{{name}}` stands for a parameter here too. */
  stdin?: string
  /** What is known of each parameter besides its name: JSON Schema. */
  parameters: Record<string, JsonObject>
}
/** Nothing but what is written in the configuration: see `ServerConfig.additions`. */
export interface StaticEntry {
  type: "static"
}
/** A server type that this version knows of but cannot serve yet, or a type nobody knows. */
export interface OtherEntry {
  type: string
  [key: string]: unknown
}

export interface ToolOverride {
  enabled?: boolean
  timeoutMs?: number
  description?: string
  title?: string
  annotations?: JsonObject
}

/** What an entry of any type adds to what its server offers; each part is as it was written. */
export interface Additions {
  /** By name; only those that say what calling them gives. */
  readonly tools: Record<string, JsonObject>
  /** By URI or URI template. */
  readonly resources: Record<string, JsonObject>
  /** By name. */
  readonly prompts: Record<string, JsonObject>
}

/** Modules that compute what a server offers, as absolute paths. */
export interface Transforms {
  readonly tools?: string
  readonly resources?: string
  readonly prompts?: string
}

export type Entry = StdioEntry | HttpEntry | FileEntry | CommandEntry | StaticEntry | OtherEntry

export interface ServerConfig {
  readonly name: string
  readonly entry: Entry
  /** False with `disabledReason` when the entry says so or a variable it needs is not set. */
  readonly enabled: boolean
  readonly disabledReason?: string
  readonly description?: string
  readonly include?: string[]
  readonly exclude?: string[]
  readonly rename: Record<string, string>
  readonly readOnly: ReadOnly
  readonly timeoutMs: number
  /** How many calls may be under way at once at this server. */
  readonly concurrency: number
  readonly isolation: "shared" | "session"
  readonly tools: Record<string, ToolOverride>
  readonly additions: Additions
  readonly transforms: Transforms
  /** False when only what is written in the configuration is to be offered. */
  readonly discover: boolean
  /** Hosts that a script which uses this server may fetch from. */
  readonly network: string[]
  /** Changes when, and only when, the entry means something else: restart on difference, key of every cache. */
  readonly hash: string
}

/** An entry that says nothing but what the server is. */
export const SERVER_DEFAULTS = {
  enabled: true,
  rename: {},
  readOnly: false,
  timeoutMs: 60_000,
  concurrency: 64,
  isolation: "shared",
  tools: {},
  additions: { tools: {}, resources: {}, prompts: {} },
  transforms: {},
  discover: true,
  network: [],
} satisfies Omit<ServerConfig, "name" | "entry" | "hash">

export type PolicyAction = "allow" | "ask" | "deny"

export interface PolicyRule {
  /** Globs on the tool id (`server__tool`). */
  readonly match?: string[]
  /** Annotation values that must all be equal, e.g. `{ destructiveHint: true }`. */
  readonly annotations?: Record<string, unknown>
  /** Globs on the caller: its surface (`mcp`, `cli`, `http` …) or its client's name. */
  readonly caller?: string[]
  readonly do: PolicyAction
}

export interface Policy {
  readonly default: PolicyAction
  readonly rules: PolicyRule[]
  /** How long a call waits for a person to decide. */
  readonly askTimeoutMs: number
}

export interface SandboxConfig extends RunLimits {
  /** Hosts that every script may fetch from. */
  readonly network: string[]
}

export interface YardConfig {
  /** The project's folder: relative paths start here, and `.toolyard` stands in it. */
  readonly root: string
  /** The files that were read, the most important first. */
  readonly files: string[]
  readonly servers: ServerConfig[]
  readonly surface: "auto" | "code" | "direct"
  readonly policy: Policy
  readonly sandbox: SandboxConfig
  /** The model that is used while servers are generated, as `provider/name`. */
  readonly llm?: string
  readonly problems: ConfigProblem[]
}

export interface ConfigProblem {
  severity: "error" | "warning"
  file: string
  line?: number
  column?: number
  /** Where in the file, e.g. `mcpServers.github.comand`. */
  key?: string
  message: string
  fix?: string
}
