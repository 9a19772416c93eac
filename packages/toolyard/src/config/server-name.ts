/** What a server may be called: its name stands in URLs, in tool ids and in log files. */
import { quote } from "./report.ts"

/** These stand beside the servers' names in the hub's URLs. */
const RESERVED: ReadonlySet<string> = new Set(["all", "code", "admin", "meta"])
const MAX_LENGTH = 128

/** Why a name can't be used, or undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "the name of a server must not be empty"
  if (RESERVED.has(name)) return `the name ${quote(name)} is reserved`
  if (name.length > MAX_LENGTH) return `the name ${quote(name)} is longer than ${MAX_LENGTH} characters`
  if (name === "__proto__") return `the name ${quote(name)} is reserved`
  if (
    name !== name.trim() ||
    name === "." ||
    name.includes("..") ||
    /[/\\?#%\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)
  )
    return `the name ${quote(name)} can't stand in a URL`
  return undefined
}

/** A name as it stands in tool ids; two servers should not share one. */
export function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_")
}
