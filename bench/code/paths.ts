/** Where the programs are that take part. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export const TOOL_SERVER = here("tool-server.mjs")
export const NO_SANDBOX = here("servers/no-sandbox.mjs")
export const LIBRARY_HOST = here("library-host.ts")
export const TOOLYARD = here("../../packages/toolyard/bin/toolyard.mjs")

/** Deno's program itself: its npm package starts it through Node, which would be charged to it. */
export const DENO = here(
  `../node_modules/@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}/deno${
    process.platform === "win32" ? ".exe" : ""
  }`,
)

export function absentUnless(file: string, what: string): string | undefined {
  return existsSync(file) ? undefined : `${what} is not installed for this platform`
}
