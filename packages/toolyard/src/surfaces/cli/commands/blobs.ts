/** `toolyard blobs put | get | list | rm`: content under its id, in the project's `.toolyard`. */
import { readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { YardError } from "../../../model/errors.ts"
import { isCid } from "../../../state/cid.ts"
import type { Blob, Blobs } from "../../../state/types.ts"
import { requireAction } from "../actions.ts"
import { whereOf } from "../client.ts"
import type { Context } from "../deps.ts"
import { readStdinBytes } from "../read-stdin.ts"
import { columns, count, harmless, localTime } from "../text.ts"

export interface BlobsOptions {
  type?: string
  output?: string
  limit: number
  config?: string
  json?: boolean
}

interface Opened {
  blobs: Blobs
  /** What the store had to say. */
  problems: string[]
}

const ACTIONS = { put, get, list, rm: remove }

export async function blobs(
  context: Context,
  options: BlobsOptions,
  action: string,
  name: string | undefined,
): Promise<undefined> {
  const work = ACTIONS[requireAction(action, ACTIONS)]
  await work(context, options, name)
}

export async function openBlobs(context: Context, options: { config?: string }, create = false): Promise<Opened> {
  const { root } = await context.deps.findFiles(whereOf(context, options))
  const problems: string[] = []
  const opened = await context.deps.openBlobs(join(root, ".toolyard"), problem => problems.push(problem), create)
  return { blobs: opened, problems }
}

async function put(context: Context, options: BlobsOptions, name: string | undefined): Promise<void> {
  const { io } = context
  if (name === undefined) throw new YardError("usage", "put what?", { hint: "Name a file, or - for stdin." })
  const bytes = name === "-" ? await readStdinBytes(io, "the content") : await readInput(resolve(io.cwd, name))
  const { blobs } = await openBlobs(context, options, true)
  const content = isText(bytes) ? bytes.toString("utf8") : bytes
  const { cid, size } = await blobs.put(content, options.type === undefined ? {} : { mediaType: options.type })
  io.out(options.json ? JSON.stringify({ cid, uri: `cid://${cid}`, size }) : `cid://${cid}`)
}

async function get(context: Context, options: BlobsOptions, name: string | undefined): Promise<void> {
  const { io } = context
  const cid = requireCid(name)
  const { bytes, mediaType, size } = await readBlob(context, options, cid)
  const found = { cid, size, mediaType }
  if (options.output !== undefined) {
    const file = resolve(io.cwd, options.output)
    await writeFile(file, bytes).catch((error: NodeJS.ErrnoException) => {
      throw new YardError("storage", `can't write ${file} (${error.code})`, { hint: "Check the path." })
    })
    io.out(options.json ? JSON.stringify({ ...found, file }) : `Wrote ${file}.`)
    return
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = isText(buffer) ? buffer.toString("utf8") : undefined
  if (options.json)
    io.out(JSON.stringify({ ...found, ...(text === undefined ? { base64: buffer.toString("base64") } : { text }) }))
  else if (!io.outIsTerminal) io.bytes(bytes)
  else if (text !== undefined) io.out(harmless(text))
  else
    throw new YardError("usage", `${cid} is not text, and this is a terminal`, {
      hint: "Write it to a file with -o FILE.",
    })
}

async function list(context: Context, options: BlobsOptions, name: string | undefined): Promise<void> {
  const { io } = context
  if (name !== undefined) throw new YardError("usage", "list takes no name")
  const { blobs } = await openBlobs(context, options)
  const found = await blobs.list({ limit: options.limit })
  if (options.json) {
    io.out(JSON.stringify({ blobs: found.map(({ at, ...blob }) => ({ ...blob, at: new Date(at).toISOString() })) }))
    return
  }
  if (found.length === 0) io.err("There are no blobs. `toolyard blobs put FILE` puts one in.")
  const rows = found.map(({ cid, size, at }) => [
    { text: `cid://${cid}` },
    { text: count(size, "byte"), paint: io.paint.dim },
    { text: localTime(at), paint: io.paint.dim },
  ])
  for (const line of columns(rows, undefined)) io.out(line)
}

async function remove(context: Context, options: BlobsOptions, name: string | undefined): Promise<void> {
  const { io } = context
  const cid = requireCid(name)
  const { blobs } = await openBlobs(context, options)
  if (!(await blobs.delete(cid))) throw missing(cid)
  io.out(options.json ? JSON.stringify({ cid }) : `Removed cid://${cid}.`)
}

/** Verified, or a reason why not. */
export async function readBlob(context: Context, options: { config?: string }, cid: string): Promise<Blob> {
  const { blobs, problems } = await openBlobs(context, options)
  const found = await blobs.get(cid)
  if (found) return found
  const [damage] = problems
  if (damage === undefined) throw missing(cid)
  throw new YardError("storage", damage, { hint: "Put the content in again with `toolyard blobs put FILE`." })
}

export function requireCid(name: string | undefined): string {
  const cid = name?.replace(/^cid:\/\//, "")
  if (cid !== undefined && isCid(cid)) return cid
  throw new YardError("usage", name === undefined ? "which content?" : `${JSON.stringify(name)} is not a content id`, {
    hint: "It begins with cid://bafkrei; see `toolyard blobs list`.",
  })
}

const missing = (cid: string): YardError =>
  new YardError("not_found", `there is no blob cid://${cid}`, { hint: "See `toolyard blobs list`." })

async function readInput(file: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new YardError("usage", `can't read ${file} (${error.code})`, { hint: "Check the path." })
  })
}

function isText(bytes: Buffer): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).includes("\0")
  } catch {
    return false
  }
}
