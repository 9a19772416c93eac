/** What is served at the moment: handlers in the sandbox, or the source of a description. To the outside both are one. */
import { join } from "node:path"
import type { Call } from "../../model/call.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Offer, Source, SourceContext, SourceEvents, SourceHealth, ToolResult } from "../../model/source.ts"
import type { FoundDescription } from "./model.ts"
import { type ServeDeps, serveStored } from "./serve.ts"
import { DESCRIPTION_FILE } from "./store/generated.ts"
import type { Stored } from "./store/store.ts"

export interface Active {
  list(): Offer | undefined
  /** What it says of itself; handlers are up as soon as they are there. */
  health(): SourceHealth | undefined
  /** What is not as it should be, though it is served. */
  readonly notes: string[]
  logs(): string[]
  call(tool: string, args: JsonObject, call: Call): Promise<ToolResult>
  close(): Promise<void>
}

export interface ActivateDeps extends ServeDeps {
  context: SourceContext
  describe(description: FoundDescription, file: string | undefined): Source
  onChanged: SourceEvents["changed"]
  onHealth: SourceEvents["health"]
}

export async function activate(stored: Stored, deps: ActivateDeps): Promise<Active> {
  const { description } = stored.generated
  const file = stored.folder === "" ? undefined : join(stored.folder, DESCRIPTION_FILE)
  if (description) return activateDescribed(deps.describe(description, file), deps)
  const { offer, notes, report, call } = serveStored(stored, deps)
  for (const line of [...report, ...notes]) deps.log(line)
  return { list: () => offer, health: () => undefined, notes, logs: () => [], call, close: async () => {} }
}

async function activateDescribed(source: Source, { context, onChanged, onHealth }: ActivateDeps): Promise<Active> {
  source.on("changed", onChanged)
  source.on("health", onHealth)
  await source.open(context)
  return {
    list: () => source.list(),
    health: () => source.health(),
    notes: [],
    logs: () => source.logs?.() ?? [],
    call: (tool, args, call) => source.call(tool, args, call),
    close: () => source.close(),
  }
}
