/** A yard that is opened for one command, in this process, and closed after it. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { toYardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { type About, CLIENT_NAME, PATIENCE_MS, type YardClient } from "./client.ts"
import { toCodeClient } from "./code-client.ts"
import { isAbout, placed } from "./config-problem.ts"
import type { Context, OpenedYard, Where } from "./deps.ts"
import { within } from "./interrupt.ts"
import { serversToStart, unknownServer } from "./tool-name.ts"

export interface LocalClient extends YardClient {
  readonly hub: undefined
  readonly yard: OpenedYard
}

const CALLER: Caller = { surface: "cli", client: CLIENT_NAME, principal: "local" }

export async function openLocalClient(
  { deps, io, signal }: Context,
  where: Where,
  about: About = {},
): Promise<LocalClient> {
  const { servers, problems, root } = await deps.loadConfig(where)
  const names = servers.map(({ name }) => name)
  const needed = neededFor(about, names)
  const show = await deps.showServer()
  const yard = await deps.openYard({
    ...where,
    ...(needed && { only: ({ name }) => needed.has(name) }),
    // A folder in which there is nothing to serve stays as it is.
    keep: about.keeps === true || servers.length > 0 || existsSync(join(root, ".toolyard")),
  })
  const { catalog, audit } = yard

  return {
    hub: undefined,
    yard,
    // What is merely doubtful is for `doctor` to say.
    warnings: problems.flatMap(problem =>
      problem.severity === "error" && isAbout(problem, about.server ?? about.tool) ? [placed(problem)] : [],
    ),
    async settle() {
      const waiting = (): string[] =>
        catalog.servers().flatMap(member => (member.health().state === "connecting" ? [member.name] : []))
      const tell = (): void => io.progress(waiting().length > 0 ? `connecting to ${waiting().join(", ")} …` : "")
      tell()
      const off = catalog.on("health", tell)
      try {
        await within(yard.connected, PATIENCE_MS, signal)
      } finally {
        off()
        io.progress("")
      }
    },
    servers: async () => catalog.servers().map(show.server),
    async server(name) {
      const member = catalog.requireServer(name)
      const { instructions } = member.offer
      return {
        ...show.server(member),
        logs: member.source?.logs?.() ?? [],
        ...(instructions !== undefined && { instructions }),
      }
    },
    tools: async server =>
      (server === undefined ? catalog.tools() : catalog.requireServer(server).tools).map(show.tool),
    search: async (query, options) => catalog.search(query, options),
    call({ tool, args, timeoutMs, readOnly, signal: own, onProgress = () => {} }) {
      const call = new CommandCall({ ...CALLER, ...(readOnly !== undefined && { readOnly }) }, onProgress)
      call.timeoutMs = timeoutMs
      own.addEventListener("abort", () => call.abort(toYardError(own.reason)), { once: true })
      return catalog.call(call, tool, args)
    },
    audit: (limit, server) => audit.tail(limit, server),
    code: toCodeClient(yard.code, CALLER),
    stats: async () => undefined,
    close: () => yard.close(),
  }
}

/** None to leave out, or the ones to start. */
function neededFor({ server, tool, pick }: About, names: string[]): Set<string> | undefined {
  if (pick) return pick(names)
  if (server !== undefined && !names.includes(server)) throw unknownServer(server, names)
  if (server !== undefined) return new Set([server])
  return tool === undefined ? undefined : serversToStart(tool, names)
}

/** A call made by a command: progress is shown, nothing can be asked. */
class CommandCall extends Call {
  override wantsProgress = true
  readonly #onProgress: (params: JsonObject) => void

  constructor(caller: Caller, onProgress: (params: JsonObject) => void) {
    super(caller)
    this.#onProgress = onProgress
  }

  override progress(params: JsonObject): void {
    this.#onProgress(params)
  }
}
