/** The addresses of code mode: `/mcp/code`, and `/mcp` where `surface` leads to it. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { CodeMode } from "../../code/code-mode.ts"
import type { Caller } from "../../model/caller.ts"
import type { YardConfig } from "../../model/config.ts"
import { estimateTokens } from "../../model/tokens.ts"
import type { Address } from "./address.ts"
import type { OwnTools } from "./code-tools.ts"

/** Below this, the definitions of all tools cost a model no more than code mode would. */
const DIRECT_TOKENS = 4_000
/** What is offered does not depend on who asks: all clients find the same tools behind an address. */
const ANYONE: Caller = { surface: "mcp", principal: "" }

/** Resources and prompts are those of the yard; in place of its tools stand three. */
export function codeAddress(yard: Address, tools: OwnTools, code: CodeMode): Address {
  return {
    ...yard,
    key: "code",
    instructions: () =>
      "Many tools stand behind this server. Call `execute` with TypeScript that uses them, `search` to find them.",
    list(method, caller) {
      if (method !== "tools/list") return yard.list(method, caller)
      // Whoever lists them is about to use them.
      code.warm()
      return tools.list(caller)
    },
    own: (name, args, call) => tools.call(name, args, call),
    tool: () => undefined,
  }
}

/** Whether `/mcp` offers code mode: when `surface` says so, or when the definitions of all tools would cost too much. */
export function codeChoice(catalog: Catalog, yard: Address, surface: () => YardConfig["surface"]): () => boolean {
  let measured: { version: number; isLarge: boolean } | undefined
  return () => {
    const wanted = surface()
    if (wanted !== "auto") return wanted === "code"
    if (measured?.version !== catalog.version)
      measured = { version: catalog.version, isLarge: isLarge(yard.list("tools/list", ANYONE)) }
    return measured.isLarge
  }
}

/** What `/mcp` offers: all tools, or code mode. */
export function mainAddress(yard: Address, coded: Address, isCoded: () => boolean): Address {
  return {
    ...yard,
    key: "main",
    instructions: () => (isCoded() ? coded : yard).instructions(),
    list: (method, caller) => (isCoded() ? coded : yard).list(method, caller),
    // A tool that was listed before the yard grew can still be called.
    own: (name, args, call) => coded.own?.(name, args, call),
  }
}

function isLarge(definitions: object[]): boolean {
  let tokens = 0
  return definitions.some(definition => {
    tokens += estimateTokens(JSON.stringify(definition))
    return tokens >= DIRECT_TOKENS
  })
}
