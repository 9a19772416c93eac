/** Static sources for the tests: in a project of their own, with a yard that really answers. */
import { createHash } from "node:crypto"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Call } from "../../model/call.ts"
import type { ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Source, SourceContext, ToolResult, YardAccess } from "../../model/source.ts"
import { testContext } from "../source.contract.ts"
import { StaticSource } from "./source.ts"

export const newCall = (): Call => new Call({ surface: "library", principal: "test" })

export const configOf = (
  additions: { tools?: object; resources?: object; prompts?: object },
  more: Partial<ServerConfig> = {},
): ServerConfig => ({
  name: "notes",
  entry: { type: "static" },
  enabled: true,
  rename: {},
  readOnly: false,
  timeoutMs: 60_000,
  concurrency: 64,
  isolation: "shared",
  network: [],
  tools: {},
  additions: { tools: {}, resources: {}, prompts: {}, ...(additions as Partial<ServerConfig["additions"]>) },
  transforms: {},
  discover: true,
  hash: "test",
  ...more,
})

export const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] })

/** The tools of other servers. */
const TOOLS: Record<string, (args: JsonObject, call: Call) => ToolResult | Promise<ToolResult>> = {
  other__echo: args => text(JSON.stringify(args)),
  other__structured: args => ({ ...text(JSON.stringify(args)), structuredContent: args }),
  other__wrapped: () => ({ ...text("7"), structuredContent: { result: 7 }, _meta: { "toolyard/wrapped": true } }),
  other__picture: () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
  other__fail: () => ({ ...text("it went wrong"), isError: true }),
  other__progress: (_args, call) => {
    for (const progress of [1, 2]) call.progress({ progress })
    return text("done")
  },
  other__slow: (_args, call) =>
    new Promise((_resolve, reject) => {
      call.onAbort({ onAbort: reject })
    }),
}

export const cidFor = (content: string): string =>
  `bafkrei${createHash("sha256")
    .update(content)
    .digest("hex")
    .replace(/[0189]/g, "a")
    .slice(0, 52)}`

export function yardIn(root: string, blobs: { bytes: Uint8Array; mediaType: string; cid: string }[] = []): YardAccess {
  return {
    root,
    call: async (call, tool, args) => {
      if (call.aborted) throw call.aborted
      // As in the catalog: an id, or a server's name and a tool's.
      const id = tool.replace(".", "__")
      const found = Object.hasOwn(TOOLS, id) ? TOOLS[id] : undefined
      if (!found) throw new YardError("unknown_tool", `there is no tool "${tool}"`)
      return found(args, call)
    },
    blob: async cid => blobs.find(blob => blob.cid === cid),
    putBlob: async bytes => cidFor(Buffer.from(bytes).toString("base64")),
  }
}

/** A source whose yard is its own, whatever the context it is opened in. */
export class StaticSourceInYard extends StaticSource {
  readonly #yard: YardAccess
  constructor(config: ServerConfig, yard: YardAccess, inner?: Source) {
    super(config, inner)
    this.#yard = yard
  }
  override open(context: SourceContext): Promise<void> {
    return super.open({ ...context, yard: this.#yard })
  }
}

export interface Project {
  root: string
  logged: string[]
  open(additions: Parameters<typeof configOf>[0], inner?: Source, more?: Partial<ServerConfig>): Promise<StaticSource>
  blobs: { bytes: Uint8Array; mediaType: string; cid: string }[]
  end(): Promise<void>
}

export async function startProject(): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "toolyard-static-")))
  const opened: Source[] = []
  const logged: string[] = []
  const blobs: Project["blobs"] = []
  return {
    root,
    logged,
    blobs,
    async open(additions, inner, more) {
      const source = new StaticSource(configOf(additions, more), inner)
      opened.push(source)
      await source.open({ ...testContext(undefined, yardIn(root, blobs)), log: line => void logged.push(line) })
      return source
    },
    async end() {
      await Promise.all(opened.map(source => source.close()))
      await rm(root, { recursive: true })
    },
  }
}
