/** For the tests of the prompt source: an API with its documentation on loopback, and a model that knows it by heart. */

import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SERVER_DEFAULTS, type ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { Source, SourceContext } from "../../model/source.ts"
import { openSandbox } from "../../sandbox/pool.ts"
import type { Sandbox } from "../../sandbox/sandbox.ts"
import { testContext } from "../source.contract.ts"
import { gatherDocuments } from "./documents/gather.ts"
import type { Model, Plan, PlannedTool } from "./model.ts"
import { PromptSource, type PromptSourceOptions } from "./source.ts"

export interface PromptCase {
  /** `http://127.0.0.1:PORT`: `/docs` is the documentation, everything else the API. */
  url: string
  prompt: string
  root: string
  requests: IncomingMessage[]
  /** How often the model was asked. */
  asked: string[]
  /** Changed by tests. */
  documentation: string
  plan: Plan
  handlers: Record<string, string>
  model: () => Model
  open(entry?: object, options?: Partial<PromptSourceOptions>): PromptSource
  context(): SourceContext
  stopServer(): Promise<void>
  close(): Promise<void>
}

const EMPTY = { type: "object", properties: {} }

export function tool(name: string, url: string | undefined, more: Partial<PlannedTool> = {}): PlannedTool {
  const endpoint = url === undefined ? {} : { endpoint: { method: "GET", url } }
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: EMPTY,
    needsNetwork: url !== undefined,
    ...endpoint,
    ...more,
  }
}

export async function openPromptCase(): Promise<PromptCase> {
  const sandbox: Sandbox = openSandbox({ memoryMb: 64, size: 1, log: () => {} })
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/docs")) {
      response.setHeader("content-type", "text/markdown")
      response.end(made.documentation)
      return
    }
    requests.push(request)
    if (request.url?.startsWith("/missing")) response.writeHead(404).end("no such shelf")
    else response.setHeader("content-type", "application/json").end(JSON.stringify({ path: request.url }))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const root = await mkdtemp(join(tmpdir(), "toolyard-prompt-"))
  const opened: Source[] = []
  const made: PromptCase = {
    url,
    root,
    requests,
    asked: [],
    prompt: `A shelf. See ${url}/docs`,
    documentation: `# Shelf\n\n\`GET ${url}/echo\`:\n\n\`\`\`json\n{ "path": "/echo" }\n\`\`\`\n`,
    plan: { description: "A shelf", tools: [] },
    handlers: {},
    model: () => ({
      name: "test/scripted",
      async generate({ step, schema }) {
        made.asked.push(step)
        const code = made.handlers[step.split(" ")[1] as string]
        if (code === undefined) throw new YardError("generation_failed", `the model refused ${step}`)
        return schema.parse({ code })
      },
    }),
    open(entry = {}, options = {}) {
      const config: ServerConfig = {
        ...SERVER_DEFAULTS,
        name: "shelf",
        hash: "",
        entry: { type: "prompt", prompt: made.prompt, ...entry },
      }
      const source = new PromptSource(config, {
        sandbox: () => sandbox,
        openModel: (_, progress) => {
          progress.usage({ step: "plan", ms: 1 })
          return made.model()
        },
        gather: (prompt, progress, signal) => gatherDocuments(prompt, { progress, signal }),
        plan: async () => made.plan,
        describe: () => {
          throw new Error("no description was expected")
        },
        checkAfterMs: 3_600_000,
        ...options,
      })
      opened.push(source)
      return source
    },
    context: () => testContext(undefined, { root, cacheFolder: join(root, ".toolyard", "cache") }),
    stopServer: () => close(server),
    async close() {
      await Promise.all(opened.map(source => source.close()))
      await Promise.all([close(server), sandbox.close(), rm(root, { recursive: true, force: true })])
    },
  }
  return made
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => void server.close(() => resolve()))
}
