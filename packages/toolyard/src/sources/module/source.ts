/** A TypeScript or JavaScript file as a server: its exported functions are the tools. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { FileEntry, ServerConfig } from "../../model/config.ts"
import { fileOf, isContent } from "../hosted/content-file.ts"
import { HostedSource, type Launch } from "../hosted/source.ts"
import type { Watchdog } from "../upstream/watchdog.ts"

/** Beside this file in the sources, and beside the bundle when built. */
const HOST = import.meta.url.endsWith(".ts") ? "./host/main.ts" : "./module-host.js"

export const MODULE_HOST = fileURLToPath(new URL(HOST, import.meta.url))

export function openModule(config: ServerConfig, watchdog: Watchdog): HostedSource {
  const { file, env } = config.entry as FileEntry
  return new HostedSource(
    config,
    {
      files: isContent(file) ? [] : [file],
      env,
      launch({ yard }) {
        const start = ({ path, scratch }: { path: string; scratch?: string }): Launch => ({
          command: process.execPath,
          args: [MODULE_HOST, path, ...cacheArgs(yard.cacheFolder)],
          scratch,
        })
        return isContent(file) ? fileOf(file, ".ts", yard).then(start) : start({ path: file })
      },
    },
    watchdog,
  )
}

export function cacheArgs(folder: string | undefined): string[] {
  return folder === undefined ? [] : ["--cache", join(folder, "modules")]
}
