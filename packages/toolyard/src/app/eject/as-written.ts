/** The configuration with its variables left as they are written, so that no value of the environment gets out. */

import type { LoadOptions } from "../../config/files.ts"
import { readText } from "../../config/files.ts"
import { loadConfig } from "../../config/load.ts"
import type { ServerConfig, YardConfig } from "../../model/config.ts"
import { isObject } from "../../model/json.ts"

/** They say where files are, and are no secrets. */
const PLACES = new Set(["TOOLYARD_ROOT", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA"])
/** Nobody writes these: what stands between them is a variable, or its default. */
const [OPEN, MIDDLE, CLOSE] = ["\uE000", "\uE001", "\uE002"] as const

export async function loadAsWritten(options: LoadOptions, config: YardConfig): Promise<YardConfig> {
  const env: NodeJS.ProcessEnv = { ...(options.env ?? process.env) }
  for (const file of config.files) {
    const read = readText(file)
    const text = read && "text" in read ? read.text : ""
    for (const [, name = "", fallback] of text.matchAll(/\$\{([A-Za-z_]\w*)(?::-([^}"\\]*))?\}/g))
      if (!PLACES.has(name)) env[name] = `${OPEN}${name}${fallback === undefined ? "" : `${MIDDLE}${fallback}`}${CLOSE}`
  }
  const loaded = await loadConfig({ ...options, env })
  return { ...loaded, servers: loaded.servers.map(server => restored(server) as ServerConfig) }
}

/** `${NAME}` where a variable stands, and `$${` where braces are meant. */
function restored(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replaceAll("${", "$$${")
      .replace(
        new RegExp(`${OPEN}(\\w+)(?:${MIDDLE}([^${CLOSE}]*))?${CLOSE}`, "g"),
        (_, name: string, fallback?: string) => (fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`),
      )
  }
  if (Array.isArray(value)) return value.map(restored)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restored(inner)]))
}

export interface Reference {
  name: string
  hasDefault: boolean
}

/** The variables that stand anywhere in a value. */
export function referencesIn(value: unknown): Reference[] {
  const found = new Map<string, Reference>()
  const look = (inner: unknown): void => {
    if (typeof inner === "string") {
      for (const [, name = "", fallback] of inner.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)(:-)?/g))
        if (!found.has(name)) found.set(name, { name, hasDefault: fallback !== undefined })
    } else if (typeof inner === "object" && inner !== null) for (const part of Object.values(inner)) look(part)
  }
  look(value)
  return [...found.values()]
}
