/** `toolyard stdio`: MCP over stdin and stdout, until the client leaves. */
import { whereOf } from "../client.ts"
import type { Context, LogLevel } from "../deps.ts"

export interface StdioOptions {
  config?: string
  server?: string
  logLevel: LogLevel
}

export async function stdio(context: Context, options: StdioOptions): Promise<number> {
  const { server, logLevel } = options
  const request = { ...whereOf(context, options), logLevel, ...(server !== undefined && { server }) }
  await context.deps.serveStdio(request, context.signal, context.onStray)
  return 0
}
