/** What pages are about: the address that a client is to be pointed at, and the hub it stands on. */
import type { Catalog } from "../../../catalog/catalog.ts"
import type { JsonObject } from "../../../model/json.ts"
import { toUrlPart } from "./text.ts"

/** What the pages need to know of the hub. */
export interface PageDeps {
  catalog: Catalog
  version: string
  /** Whether `/mcp` offers code mode now. */
  offersCode: () => boolean
  needsToken: boolean
  /** For clients that start the yard themselves. */
  configFile: () => string | undefined
}

/** One MCP address, as snippets need it. */
export interface Place {
  /** What a client will call it. */
  readonly name: string
  readonly origin: string
  readonly url: string
  /** Where it is one server's. */
  readonly server?: string
  readonly needsToken: boolean
  readonly configFile: string
  /** A call to show: one that may be sent as it stands. */
  readonly example?: { tool: string; id?: string; args: JsonObject }
}

export const serverPath = (name: string): string => `/mcp/${toUrlPart(name)}`
export const metaPath = (name: string): string => `/mcp/meta/${toUrlPart(name)}`
