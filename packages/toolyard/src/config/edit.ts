/** Adds and removes servers in a configuration file, the way a careful person would: nothing else in it changes. */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { YardError } from "../model/errors.ts"
import { isObject, type JsonObject } from "../model/json.ts"
import { parseDocument } from "./document.ts"
import { realPath } from "./files.ts"
import { SCHEMA_URL } from "./json-schema.ts"
import { nodeAt, removeAt, setAt } from "./jsonc-edit.ts"
import { nameProblem } from "./server-name.ts"

const NEW_FILE = `${JSON.stringify({ $schema: SCHEMA_URL, mcpServers: {} }, null, 2)}\n`
const LOCK_WAIT_MS = 5000
/** An edit takes milliseconds: whoever left a lock this old has died. */
const LOCK_STALE_MS = 10_000

export async function setServer(file: string, name: string, entry: JsonObject): Promise<void> {
  const problem = nameProblem(name)
  if (problem) throw new YardError("config_invalid", problem, { hint: "Choose another name." })
  const plain: unknown = JSON.parse(JSON.stringify(entry))
  await edit(file, text => setAt(withoutRepeats(text ?? NEW_FILE, name), ["mcpServers", name], plain))
}

/** False when there was no such server. */
export async function removeServer(file: string, name: string): Promise<boolean> {
  let found = false
  await edit(file, text => {
    found = text !== undefined && nodeAt(text, ["mcpServers", name]) !== undefined
    return text !== undefined && found ? removeAt(withoutRepeats(text, name), ["mcpServers", name]) : text
  })
  return found
}

/** Of a key that stands several times only the last counts, so the others can go. */
function withoutRepeats(text: string, name: string): string {
  const servers = nodeAt(text, ["mcpServers"])?.children ?? []
  const times = servers.filter(({ children }) => children?.[0]?.value === name).length
  return times > 1 ? withoutRepeats(removeAt(text, ["mcpServers", name]), name) : text
}

async function edit(path: string, change: (text: string | undefined) => string | undefined): Promise<void> {
  // A linked file is changed where it is; renaming over the link would cut it off.
  const file = realPath(path)
  await mkdir(dirname(file), { recursive: true })
  const temporary = join(dirname(file), `.${basename(file)}.lock`)
  const handle = await lock(temporary, file)
  let replaced = false
  try {
    const before = await readWhole(file)
    const mark = before?.startsWith("\uFEFF") ? "\uFEFF" : ""
    const text = before?.slice(mark.length)
    if (text !== undefined) refuseBroken(text, file)
    const after = change(text)
    if (after === undefined || after === text) return
    await handle.writeFile(mark + after)
    if (before !== undefined) await handle.chmod((await stat(file)).mode & 0o7777)
    await handle.sync()
    await rename(temporary, file)
    replaced = true
  } finally {
    await handle.close()
    // Once renamed, a file of this name is the lock of somebody else.
    if (!replaced) await rm(temporary, { force: true })
  }
}

async function readWhole(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw new YardError("storage", `can't read ${file} (${error.code})`, { cause: error })
  })
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new YardError("config_invalid", `${file} is not UTF-8 text`, { hint: "Save it as UTF-8.", cause: error })
  }
}

/** The temporary file is the lock as well: of two who edit at once, the second waits and sees what the first wrote. */
async function lock(temporary: string, file: string): Promise<FileHandle> {
  const giveUp = performance.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      return await open(temporary, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o666)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== "EEXIST") throw new YardError("storage", `can't write beside ${file} (${code})`, { cause: error })
    }
    const age = await stat(temporary).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > LOCK_STALE_MS) await rm(temporary, { force: true })
    else if (performance.now() > giveUp)
      throw new YardError("storage", `${file} is being edited by someone else`, {
        hint: `If not, delete ${temporary}.`,
      })
    else await wait(10)
  }
}

function refuseBroken(text: string, file: string): void {
  const { errors, value, repeated } = parseDocument(text)
  const [error] = errors
  if (error)
    throw new YardError("config_invalid", `${file}:${error.line}:${error.column}: ${error.message}`, {
      hint: error.fix,
    })
  if (!isObject(value)) throw new YardError("config_invalid", `${file} does not hold an object`)
  if (repeated.some(path => path.length === 1 && path[0] === "mcpServers"))
    throw new YardError("config_invalid", `\`mcpServers\` stands twice in ${file}`, { hint: "Merge the two." })
  if (value.mcpServers !== undefined && !isObject(value.mcpServers))
    throw new YardError("config_invalid", `\`mcpServers\` in ${file} is not an object`)
}
