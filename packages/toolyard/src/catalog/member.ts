/** One server in the catalog: its entry, its source, and what the two together offer. */
import type { ServerConfig } from "../model/config.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import type { Offer, Source, SourceHealth } from "../model/source.ts"
import { Slots } from "../policy/limits.ts"
import { offerTools } from "./offer.ts"
import type { Check } from "./validate.ts"

export interface CatalogTool {
  /** `server__tool`: unique in the yard, and stable. */
  readonly id: string
  readonly member: Member
  /** Its name at the server's own address. */
  readonly name: string
  readonly sourceName: string
  readonly definition: ToolDefinition
  readonly timeoutMs: number
  /** Compiled at the first call. */
  check: Check | undefined
}

const NOTHING: Offer = { tools: [], resources: [], templates: [], prompts: [], capabilities: {} }

export class Member {
  readonly config: ServerConfig
  /** None where the server is disabled. */
  readonly source: Source | undefined
  readonly slots: Slots
  tools: CatalogTool[] = []
  readonly #byName = new Map<string, CatalogTool>()
  #offer: Offer = NOTHING

  constructor(config: ServerConfig, source: Source | undefined) {
    this.config = config
    this.source = source
    this.slots = new Slots(config.name, config.concurrency)
  }

  get name(): string {
    return this.config.name
  }

  get offer(): Offer {
    return this.#offer
  }

  health(): SourceHealth {
    if (this.source) return this.source.health()
    return { state: "disabled", reason: this.config.disabledReason ?? "`enabled` is false", since: 0 }
  }

  tool(name: string): CatalogTool | undefined {
    return this.#byName.get(name)
  }

  /** Takes over the source's present offer; ids are given by the catalog, which alone sees all servers. */
  refresh(): void {
    this.#offer = this.source?.list() ?? NOTHING
    const before = new Map(this.tools.map(tool => [tool.sourceName, tool]))
    this.tools = offerTools(this.config, this.#offer.tools).map(({ sourceName, definition }) => ({
      id: "",
      member: this,
      name: definition.name,
      sourceName,
      definition,
      timeoutMs: this.config.tools[sourceName]?.timeoutMs ?? this.config.timeoutMs,
      // A tool whose definition is the very same object keeps its compiled schema.
      check: before.get(sourceName)?.definition === definition ? before.get(sourceName)?.check : undefined,
    }))
    this.#byName.clear()
    for (const tool of this.tools) if (!this.#byName.has(tool.name)) this.#byName.set(tool.name, tool)
  }
}
