/** `toolyard stdio`: the yard as an MCP server over stdin and stdout. */
import { Console } from "node:console"
import { createMcpSurface } from "../surfaces/mcp/surface.ts"
import { keptSecret, type OpenOptions, openYard } from "./compose.ts"

export interface ServeStdioOptions extends OpenOptions {
  /** Offer this server alone. */
  server?: string
}

/** Resolves when the client has left, or on the signal; no process is left behind. */
export async function serveStdio(options: ServeStdioOptions, signal: AbortSignal): Promise<void> {
  // stdout belongs to the protocol, whatever a library may want to say.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { server } = options
  const only = server === undefined ? {} : { only: ({ name }: { name: string }) => name === server }
  const yard = await openYard({ ...options, ...only, watch: options.watch ?? true })
  try {
    const mcp = createMcpSurface({
      catalog: yard.catalog,
      code: yard.code,
      blobs: yard.state.blobs,
      key: Buffer.from(await keptSecret(yard.state, "request-state-key")),
      surface: () => yard.config.surface,
    })
    void yard.connected.then(() => yard.code.revive()).catch((error: unknown) => options.log.warn(String(error)))
    try {
      if (signal.aborted) return
      // Runs first: the end of the input would cancel them, and they are to outlast this.
      const leave = (): void => void yard.code.close().finally(() => process.stdin.destroy())
      signal.addEventListener("abort", leave, { once: true })
      const streams = { input: process.stdin, output: process.stdout }
      await mcp.stdio(streams, { surface: "mcp", principal: "local" }, server)
    } finally {
      mcp.close()
    }
  } finally {
    await yard.close()
  }
}
