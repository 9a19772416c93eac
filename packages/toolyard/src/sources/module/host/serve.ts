/** The MCP that every host speaks, and the part of it that serves the tools of a module. */
import { basename, extname } from "node:path"
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import { LEGACY_VERSIONS, LOG_LEVELS, type LogLevel } from "../../../model/mcp.ts"
import { callTool } from "./call.ts"
import type { Surroundings } from "./context.ts"
import { describeOnce } from "./definitions.ts"
import type { Loader } from "./load.ts"
import { collectTools } from "./tools.ts"
import type { Handler } from "./wire.ts"

export type Handlers = Map<string, Handler>

interface Introduction {
  capabilities: JsonObject
  instructions?: string
  /** The author's files that what is offered depends on, as known at that moment. */
  files: () => string[]
}

export function introduce(around: Surroundings, { capabilities, instructions, files }: Introduction): Handlers {
  const versions: readonly unknown[] = LEGACY_VERSIONS
  return new Map<string, Handler>([
    ["ping", () => ({})],
    [
      "initialize",
      ({ params: { protocolVersion } }) => ({
        protocolVersion: versions.includes(protocolVersion) ? protocolVersion : LEGACY_VERSIONS[0],
        capabilities: { ...capabilities, logging: {}, experimental: { "toolyard/files": { files: files() } } },
        serverInfo: { name: basename(around.file, extname(around.file)), version: "0.0.0" },
        ...(instructions && { instructions }),
      }),
    ],
    [
      "logging/setLevel",
      ({ params: { level } }) => {
        if (!(LOG_LEVELS as readonly unknown[]).includes(level))
          throw new YardError("invalid_params", `there is no log level ${JSON.stringify(level)}`)
        around.logLevel = level as LogLevel
        return {}
      },
    ],
  ])
}

export async function serveModule(
  file: string,
  loader: Loader,
  around: Surroundings,
  cache: string | undefined,
): Promise<Handlers> {
  const exports = await loader.load(file)
  const description = await describeOnce(file, cache)
  const { tools, problems } = collectTools(exports, description.functions, file)
  for (const problem of [...description.problems, ...problems]) process.stderr.write(`${problem}\n`)
  const definitions = [...tools.values()].map(({ definition }) => definition)
  const handlers = introduce(around, {
    capabilities: { tools: {} },
    ...(description.description && { instructions: description.description }),
    files: () => [...new Set([...loader.files(), ...description.files])],
  })
  handlers.set("tools/list", () => ({ tools: definitions }))
  handlers.set("tools/call", request => {
    const tool = tools.get(request.params.name as string)
    if (!tool) throw new YardError("unknown_tool", `there is no tool ${JSON.stringify(request.params.name)}`)
    return callTool(tool, request, around, loader.places)
  })
  return handlers
}
