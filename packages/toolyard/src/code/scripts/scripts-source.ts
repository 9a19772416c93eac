/** Saved scripts as a server: each is a tool, and a call of it is a run. */
import type { Call } from "../../model/call.ts"
import { SERVER_DEFAULTS, type ServerConfig } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"
import type { SavedScript } from "../../model/run.ts"
import type { Offer, Source, SourceEvents, SourceHealth, ToolResult, Unsubscribe } from "../../model/source.ts"
import type { CodeMode } from "../code-mode.ts"
import { reportText } from "../report.ts"
import type { Scripts } from "./scripts.ts"

export const SCRIPTS_SERVER = "scripts"
/** A run has limits of its own. */
const NO_LIMIT_MS = 2_147_483_647

export const SCRIPTS_CONFIG: ServerConfig = {
  ...SERVER_DEFAULTS,
  name: SCRIPTS_SERVER,
  entry: { type: SCRIPTS_SERVER },
  description: "Saved scripts",
  timeoutMs: NO_LIMIT_MS,
  concurrency: 1_000,
  hash: SCRIPTS_SERVER,
}

export class ScriptsSource implements Source {
  readonly type = SCRIPTS_SERVER
  readonly #scripts: Scripts
  readonly #code: () => CodeMode
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #since = Date.now()
  #offer: Offer | undefined

  constructor(scripts: Scripts, code: () => CodeMode) {
    this.#scripts = scripts
    this.#code = code
  }

  async open(): Promise<void> {
    await this.reload()
  }

  async reload(): Promise<void> {
    const tools = (await this.#scripts.list()).map(toTool)
    this.#offer = { tools, resources: [], templates: [], prompts: [], capabilities: { tools: {} } }
    this.#emitter.emit("changed", ["tools"])
  }

  list(): Offer | undefined {
    return this.#offer
  }

  health(): SourceHealth {
    return { state: "up", since: this.#since }
  }

  async call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    const script = await this.#scripts.get(tool)
    const input = takesObject(script) ? args : args.input
    const report = await this.#code().execute({ script: tool, input }, call, { toTheEnd: true })
    if (report.status !== "completed") return { content: [{ type: "text", text: reportText(report) }], isError: true }
    const { value } = report
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
    return {
      content: text === "" ? [] : [{ type: "text", text }],
      ...(isObject(value) && { structuredContent: value }),
    }
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  async close(): Promise<void> {}
}

const takesObject = ({ inputSchema }: SavedScript): boolean =>
  inputSchema.type === "object" || inputSchema.type === undefined

/** Tools take objects: what a script takes that is none stands under `input`. */
function toTool(script: SavedScript): ToolDefinition {
  const { name, version, description, inputSchema } = script
  const { $defs, ...schema } = inputSchema
  return {
    name,
    description: description ?? `Saved script, version ${version}.`,
    inputSchema: takesObject(script)
      ? { ...inputSchema, type: "object" }
      : { type: "object", properties: { input: schema }, required: ["input"], ...($defs !== undefined && { $defs }) },
  }
}
