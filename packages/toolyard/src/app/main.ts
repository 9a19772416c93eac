/** Where the program starts: gives the command line the rest of toolyard, each part loaded when it is first needed. */
import { CLIENT_INFO } from "../model/mcp.ts"
import type { CliDeps } from "../surfaces/cli/deps.ts"
import { runCli } from "../surfaces/cli/run.ts"

const deps: CliDeps = {
  version: CLIENT_INFO.version,
  async serve({ logLevel, config, ...request }, onStray) {
    const [{ serve }, { createLog }] = await Promise.all([import("./serve.ts"), import("./log.ts")])
    const log = await createLog(logLevel)
    onStray(error => log.error(`an error that nobody caught: ${stackOf(error)}`))
    return serve({ ...request, ...(config !== undefined && { config }), log })
  },
  async serveStdio({ logLevel, ...request }, signal, onStray) {
    const [{ serveStdio }, { createLog }] = await Promise.all([import("./stdio.ts"), import("./log.ts")])
    const { loadConfig } = await import("../config/load.ts")
    const { unknownServer } = await import("../surfaces/cli/tool-name.ts")
    if (request.server !== undefined) {
      const names = (await loadConfig(fileOf(request))).servers.map(({ name }) => name)
      if (!names.includes(request.server)) throw unknownServer(request.server, names)
    }
    const log = await createLog(logLevel)
    onStray(error => log.error(`an error that nobody caught: ${stackOf(error)}`))
    await serveStdio({ ...request, log }, signal)
  },
  async openYard(options) {
    const [{ openYard }, { SILENT }] = await Promise.all([import("./compose.ts"), import("./log.ts")])
    // One command has one run at a time.
    return openYard({ ...options, log: SILENT, sandboxes: 1 })
  },
  async showServer() {
    const { toApiServer, toApiTool } = await import("../surfaces/http/views.ts")
    return { server: toApiServer, tool: ({ id, member, name, definition }) => toApiTool(id, member, name, definition) }
  },
  async openAudit(folder) {
    const { existsSync } = await import("node:fs")
    if (!existsSync(folder)) return { tail: async () => [], close: async () => {} }
    const [{ openState }, { Audit }] = await Promise.all([import("../state/open.ts"), import("../policy/audit.ts")])
    const state = await openState(folder, () => {})
    const audit = new Audit(state.store, () => {})
    return { tail: (limit, server) => audit.tail(limit, server), close: () => state.close() }
  },
  findFiles: async where => (await import("../config/files.ts")).findFiles(fileOf(where)),
  loadConfig: async where => (await import("../config/load.ts")).loadConfig(fileOf(where)),
  userFile: async () => (await import("../config/files.ts")).userFile({}),
  async checkEntry(name, entry, root) {
    const { toServer } = await import("../config/server-entry.ts")
    const problems: Awaited<ReturnType<CliDeps["checkEntry"]>> = []
    const note =
      (severity: "error" | "warning") =>
      ({ message, fix }: { message: string; fix?: string }) =>
        problems.push({ severity, message, ...(fix !== undefined && { fix }) })
    toServer(name, structuredClone(entry), {
      root,
      env: process.env,
      report: { error: note("error"), warning: note("warning") },
    })
    return problems
  },
  setServer: async (file, name, entry) => (await import("../config/edit.ts")).setServer(file, name, entry),
  removeServer: async (file, name) => (await import("../config/edit.ts")).removeServer(file, name),
  schemaUrl: async () => (await import("../config/json-schema.ts")).SCHEMA_URL,
  async openBlobs(folder, report, create) {
    const { existsSync } = await import("node:fs")
    if (!create && !existsSync(folder)) return (await import("../state/blobs-memory.ts")).createMemoryBlobs()
    return (await import("../state/blobs-files.ts")).openFileBlobs(folder, report)
  },
  boot: async request => (await import("./boot.ts")).boot(request),
  async buildImage({ output, include = [], ...where }) {
    const { buildImage } = await import("./image/build.ts")
    return buildImage({ ...fileOf(where), output, include, createdBy: CLIENT_INFO.version })
  },
  openImage: async (from, id) => (await import("./image/open.ts")).openImage(from, id),
  async ejectServer({ server, folder, force, signal, ...where }) {
    const { ejectServer } = await import("./eject/eject.ts")
    return ejectServer({ ...fileOf(where), server, folder, force, signal })
  },
}

function fileOf({ cwd, config }: { cwd: string; config?: string }): { cwd: string; file?: string } {
  return { cwd, ...(config !== undefined && { file: config }) }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const exit = await runCli(process.argv.slice(2), deps)
// Whatever is still in the pipe is read before the process goes.
await Promise.all([process.stdout, process.stderr].map(stream => new Promise(resolve => stream.write("", resolve))))
process.exit(exit)
