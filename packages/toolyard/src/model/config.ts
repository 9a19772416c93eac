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

export interface ServerConfig {
  readonly name: string
  readonly entry: StdioEntry | HttpEntry | OtherEntry
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
  /** Hosts that a script which uses this server may fetch from. */
  readonly network: string[]
  /** Changes when, and only when, the entry means something else: restart on difference, key of every cache. */
  readonly hash: string
}

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
