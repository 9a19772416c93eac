/** What is wrong in the configuration, in words, and which server it is about. */
import type { ConfigProblem } from "../../model/config.ts"

export function placed({ file, line, column, key, message }: ConfigProblem): string {
  const place = [file, line, column].filter(part => part !== undefined).join(":")
  return `${place}${key ? ` ${key}` : ""}: ${message}`
}

/** False for what other servers' entries have wrong with them; the rest of a file is about every server. */
export function isAbout({ key }: ConfigProblem, server: string | undefined): boolean {
  if (server === undefined || !key?.startsWith("mcpServers")) return true
  const rest = key.slice("mcpServers".length)
  return (
    rest === "" || [`.${server}`, `[${JSON.stringify(server)}]`].some(own => rest === own || rest.startsWith(`${own}.`))
  )
}
