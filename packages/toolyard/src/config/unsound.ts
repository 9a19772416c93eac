/** Faults of an entry that types can't tell, found before a process is spawned or a request is sent. */
import type { CommandEntry, Entry, FileEntry, HttpEntry, StdioEntry } from "../model/config.ts"
import type { Note } from "./report.ts"

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

export function unsound(entry: Entry): Note | undefined {
  if (entry.type === "stdio" || entry.type === "command") return unsoundProcess(entry as StdioEntry | CommandEntry)
  if (entry.type === "module" || entry.type === "python") {
    const { file, env } = entry as FileEntry
    return unsoundProcess({ command: file, args: [], env }, "file")
  }
  if (entry.type === "http" || entry.type === "sse") return unsoundRequest(entry as HttpEntry)
  return undefined
}

function unsoundProcess(
  { command, args, env, cwd }: Pick<StdioEntry, "command" | "args" | "env" | "cwd">,
  key = "command",
): Note | undefined {
  const texts: [path: (string | number)[], text: string][] = [
    [[key], command],
    [["cwd"], cwd ?? ""],
    ...args.map((text, index): [(string | number)[], string] => [["args", index], text]),
    ...Object.entries(env).map(([name, text]): [(string | number)[], string] => [["env", name], text]),
  ]
  const nul = texts.find(([, text]) => text.includes("\0"))
  if (nul) return { path: nul[0], message: `\`${nul[0].at(-1)}\` has a NUL character in it`, fix: "Remove it." }
  const name = Object.keys(env).find(name => name === "" || /[=\0]/.test(name))
  if (name === undefined) return undefined
  const message = "the name of an environment variable must not be empty or hold = or NUL"
  return { path: ["env", name], part: "key", message, fix: "Correct the name." }
}

function unsoundRequest({ url, headers }: HttpEntry): Note | undefined {
  const protocol = URL.canParse(url) ? new URL(url).protocol : ""
  if (protocol !== "http:" && protocol !== "https:")
    return { path: ["url"], message: "`url` must be an http:// or https:// URL", fix: "Write the whole address." }
  for (const [name, value] of Object.entries(headers)) {
    const path = ["headers", name]
    if (!TOKEN.test(name))
      return { path, part: "key", message: "a header's name is not valid", fix: "Correct the name." }
    // What fetch() would refuse, or what would start another header.
    if (/[\0\r\n]|[^\0-\xff]/.test(value.trim()))
      return { path, message: `the header \`${name}\` holds a character that HTTP does not allow`, fix: "Remove it." }
  }
  return undefined
}
