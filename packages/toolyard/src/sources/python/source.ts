/** A Python file as a server: its functions are the tools. */
import type { FileEntry, ServerConfig } from "../../model/config.ts"
import { fileOf, isContent } from "../hosted/content-file.ts"
import { HostedSource, type Launch } from "../hosted/source.ts"
import type { Watchdog } from "../upstream/watchdog.ts"
import { pythonCommand } from "./launch.ts"

export function openPython(config: ServerConfig, watchdog: Watchdog): HostedSource {
  const { file, env, python } = config.entry as FileEntry
  return new HostedSource(
    config,
    {
      files: isContent(file) ? [] : [file],
      env,
      launch({ yard }) {
        const start = ({ path, scratch }: { path: string; scratch?: string }): Launch => {
          const { command, args } = pythonCommand(path, python)
          // Compiled files would stand beside the sources: not where nothing is to be written.
          return { command, args: yard.cacheFolder ? args : ["-B", ...args], scratch }
        }
        return isContent(file) ? fileOf(file, ".py", yard).then(start) : start({ path: file })
      },
    },
    watchdog,
  )
}
