/** `toolyard serve`: the yard over HTTP, and the note by which others on this machine find it. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { YardError } from "../model/errors.ts"
import { CLIENT_INFO } from "../model/mcp.ts"
import { createGuard, isLoopback } from "../surfaces/http/guard.ts"
import { type Listener, listen } from "../surfaces/http/server.ts"
import { createMcpSurface } from "../surfaces/mcp/surface.ts"
import { keptSecret, type OpenOptions, openYard, type Yard } from "./compose.ts"

export interface ServeOptions extends OpenOptions {
  host: string
  port: number
  auth: boolean
  /** Else the one of the last start, so that clients need not be told anew; at the first start a random one. */
  token?: string
}

export interface Hub {
  readonly yard: Yard
  /** Without the token. */
  readonly url: string
  readonly token: string | undefined
  close(): Promise<void>
}

/** What `.toolyard/hub.json` holds. */
export interface HubFile {
  url: string
  token?: string
  pid: number
  startedAt: string
  /** The file that was named when it was started; a yard of another file in the same folder is another yard. */
  config?: string
}

export async function serve(options: ServeOptions): Promise<Hub> {
  const loopback = isLoopback(options.host)
  if (!options.auth && !loopback) {
    throw new YardError("usage", `--no-auth works on loopback only, not on ${options.host}`, {
      hint: "Leave --no-auth out, or listen on 127.0.0.1.",
    })
  }
  const startedAt = Date.now()
  const listening = Promise.withResolvers<void>()
  const yard = await openYard({ ...options, start: listening.promise, watch: options.watch ?? true })
  let ready = false
  void yard.connected.then(() => {
    ready = true
  })
  const token = options.auth ? (options.token ?? (await keptSecret(yard.state, "token"))) : undefined
  const key = Buffer.from(await keptSecret(yard.state, "request-state-key"))
  const mcp = createMcpSurface({
    catalog: yard.catalog,
    code: yard.code,
    blobs: yard.state.blobs,
    key,
    surface: () => yard.config.surface,
  })
  let app: Promise<Listener> | undefined
  // Loaded with the first request for it: a hub that only speaks MCP needs no web framework, and starts sooner.
  const loadApp = async (): Promise<Listener> => {
    const { createApp } = await import("../surfaces/http/app.ts")
    return createApp({
      catalog: yard.catalog,
      audit: yard.audit,
      code: yard.code,
      version: CLIENT_INFO.version,
      sessions: () => mcp.sessions,
      startedAt,
      ready: () => ready,
      offersCode: mcp.offersCode,
      needsToken: token !== undefined,
      configFile: () => yard.config.files[0],
    })
  }
  const rest: Listener = async (request, response) => {
    app ??= loadApp()
    await (await app)(request, response)
  }
  const guard = createGuard({ token, host: options.host.includes(":") ? `[${options.host}]` : options.host })
  const server = await listen({ host: options.host, port: options.port, guard }, mcp, rest).catch(
    async (error: unknown) => {
      await yard.close()
      throw error
    },
  )
  const file = join(yard.folder, "hub.json")
  if (options.keep !== false)
    await writeHubFile(yard.folder, file, {
      url: server.url,
      ...(token !== undefined && { token }),
      pid: process.pid,
      startedAt: new Date().toISOString(),
      ...(options.config !== undefined && { config: resolve(options.cwd ?? process.cwd(), options.config) }),
    }).catch((error: unknown) =>
      options.log.warn(`${file} could not be written (${String(error)}); commands will not find this hub`),
    )

  setImmediate(() => listening.resolve())
  // What an earlier hub left unfinished is taken up when the servers that it needs had their chance to be there.
  void yard.connected.then(() => yard.code.revive()).catch((error: unknown) => options.log.warn(String(error)))
  return {
    yard,
    url: server.url,
    token,
    async close() {
      // Before the connections: whoever loses theirs cancels what they wait for, and runs are to outlast this.
      await yard.code.close()
      mcp.close()
      await Promise.all([server.close(), yard.close(), removeHubFile(file)])
    },
  }
}

async function writeHubFile(folder: string, file: string, content: HubFile): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await chmod(temporary, 0o600)
  await rename(temporary, file)
}

/** Only our own: another hub may have taken the place since. */
async function removeHubFile(file: string): Promise<void> {
  try {
    const { pid } = JSON.parse(await readFile(file, "utf8")) as HubFile
    if (pid === process.pid) await rm(file)
  } catch {}
}
