import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export const ECHO_SERVER = here("../echo-server.mjs")
export const BARE_HTTP = here("../servers/bare-http.mjs")
export const SDK_HTTP = here("../servers/sdk-http.mjs")
export const FLOOR = here("../servers/floor.mjs")
export const TOOLYARD = here("../../../packages/toolyard/bin/toolyard.mjs")

/** The file behind a peer's command: started without npx and shims, so that its pid is the gateway's. */
export function binOf(peer: string): string {
  const file = here(`../../node_modules/${peer}/package.json`)
  const { bin } = createRequire(import.meta.url)(file) as { bin: Record<string, string> }
  return join(dirname(file), bin[peer] ?? "")
}
