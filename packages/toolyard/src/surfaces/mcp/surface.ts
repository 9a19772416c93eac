/** The MCP surface as a whole: every address, every transport, over one catalog. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Catalog } from "../../catalog/catalog.ts"
import type { CodeMode } from "../../code/code-mode.ts"
import type { Caller } from "../../model/caller.ts"
import type { YardConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { Blobs } from "../../state/types.ts"
import { type Address, serverAddress, yardAddress } from "./address.ts"
import { Changes } from "./changes.ts"
import { codeAddress, codeChoice, mainAddress } from "./code-address.ts"
import { createCodeTools } from "./code-tools.ts"
import { type HttpCaller, McpHttp, refuseMethod } from "./http.ts"
import { openSseStream, receiveSsePost } from "./http-sse.ts"
import { Methods } from "./methods.ts"
import { Modern } from "./modern.ts"
import { createRequestStates } from "./request-state.ts"
import { Sessions } from "./sessions.ts"
import { type StdioStreams, serveStdio } from "./stdio.ts"

export interface McpSurface {
  readonly sessions: number
  /** Whether `/mcp` offers code mode now. */
  offersCode(): boolean
  /** The address of a server, `all` tools, or `code` mode; of none, what `surface` says. */
  address(name: string | undefined): Address
  http(request: IncomingMessage, response: ServerResponse, address: Address, caller: HttpCaller): void
  sse(request: IncomingMessage, response: ServerResponse, address: Address, caller: HttpCaller): Promise<void>
  /** Resolves when the client has left. */
  stdio(streams: StdioStreams, caller: Caller, server?: string): Promise<void>
  close(): void
}

export interface McpSurfaceDeps {
  catalog: Catalog
  code: CodeMode
  blobs: Blobs
  /** Seals what clients carry for us. */
  key: Buffer
  /** What `/mcp` offers. */
  surface: () => YardConfig["surface"]
}

export function createMcpSurface({ catalog, code, blobs, key, surface }: McpSurfaceDeps): McpSurface {
  const methods = new Methods(catalog, blobs)
  const changes = new Changes(catalog)
  const sessions = new Sessions()
  const modern = new Modern({ methods, changes, states: createRequestStates(key) })
  const deps = { methods, changes, modern, sessions }
  const http = new McpHttp(deps)
  const yard = yardAddress(catalog)
  const coded = codeAddress(yard, createCodeTools(catalog, code), code)
  const offersCode = codeChoice(catalog, yard, surface)
  const main = mainAddress(yard, coded, offersCode)
  const addresses = new Map<string, Address>([
    ["all", yard],
    ["code", coded],
  ])

  const address = (server: string | undefined): Address => {
    if (server === undefined) return main
    if (server === "all" || server === "code") return addresses.get(server) as Address
    const member = catalog.requireServer(server)
    if (!member.source) throw new YardError("server_disabled", `${server} is disabled: ${member.health().reason}`)
    let known = addresses.get(server)
    if (!known) {
      known = serverAddress(catalog, server)
      addresses.set(server, known)
    }
    return known
  }

  return {
    get sessions() {
      return sessions.size
    },
    offersCode,
    address,
    http: (request, response, at, caller) => http.handle(request, response, at, caller),
    async sse(request, response, at, caller) {
      if (request.method === "POST") await receiveSsePost(request, response, at, sessions)
      else if (request.method === "GET") openSseStream(request, response, at, caller, deps)
      else refuseMethod(response, "GET, POST")
    },
    stdio: (streams, caller, server) => serveStdio(streams, address(server), caller, deps),
    close() {
      modern.close()
      sessions.close()
      changes.close()
    },
  }
}
