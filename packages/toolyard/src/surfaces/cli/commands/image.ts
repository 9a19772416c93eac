/** `toolyard image build | inspect | run`: the whole yard as one file, pinned by its id. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { YardError } from "../../../model/errors.ts"
import { requireAction } from "../actions.ts"
import { whereOf } from "../client.ts"
import type { Context, ImageNeeds, OpenedImage } from "../deps.ts"
import { warn } from "../io.ts"
import { columns, count, harmless, oneLine } from "../text.ts"
import { openBlobs, readBlob, requireCid } from "./blobs.ts"
import { type ServeOptions, serve } from "./serve.ts"

export interface ImageOptions extends Omit<ServeOptions, "watch"> {
  output?: string
  put?: boolean
  include?: string[]
  id?: string
  readOnly?: boolean
  stateDir?: string
}

const MEDIA_TYPE = "application/vnd.toolyard.image"
const ACTIONS = { build, inspect, run }

export async function image(
  context: Context,
  options: ImageOptions,
  action: string,
  name: string | undefined,
): Promise<number> {
  return ACTIONS[requireAction(action, ACTIONS)](context, options, name)
}

async function build(context: Context, options: ImageOptions, name: string | undefined): Promise<number> {
  const { deps, io } = context
  if (name !== undefined) throw new YardError("usage", "build takes no image; -o FILE says where it is written")
  const { output = "yard.image", include } = options
  const built = await deps.buildImage({ ...whereOf(context, options), output, ...(include && { include }) })
  const cid = options.put ? await keep(context, options, built.file) : undefined
  if (options.json) {
    io.out(JSON.stringify({ ...built, ...(cid !== undefined && { blob: `cid://${cid}` }) }))
    return 0
  }
  io.out(`${io.paint.bold(built.id)}`)
  io.out(`${count(built.files, "file")}, ${count(built.size, "byte")}, in ${built.file}`)
  if (cid !== undefined) io.out(`among the blobs as cid://${cid}`)
  for (const line of needsLines(built.needs)) io.out(line)
  for (const warning of built.warnings) warn(io, oneLine(warning))
  return 0
}

async function keep(context: Context, options: ImageOptions, file: string): Promise<string> {
  const { blobs } = await openBlobs(context, options, true)
  return (await blobs.put(await readFile(file), { mediaType: MEDIA_TYPE })).cid
}

async function inspect(context: Context, options: ImageOptions, name: string | undefined): Promise<number> {
  const { io } = context
  const opened = await open(context, options, name)
  const { id, size, manifest } = opened
  await opened.close()
  if (options.json) {
    io.out(JSON.stringify({ id, size, ...manifest }))
    return 0
  }
  io.out(`${io.paint.bold(id)}  ${count(size, "byte")}, made by toolyard ${harmless(manifest.createdBy)}`)
  for (const line of needsLines(manifest.needs)) io.out(line)
  const rows = [
    ...manifest.files.map(file => [file.mode, String(file.size), file.path]),
    ...manifest.blobs.map(blob => ["blob", String(blob.size), `cid://${blob.cid}`]),
    ...manifest.scripts.map(script => ["script", String(script.size), script.name]),
  ]
  for (const line of columns(
    rows.map(row => row.map(harmless)),
    undefined,
  ))
    io.out(line)
  return 0
}

async function run(context: Context, options: ImageOptions, name: string | undefined): Promise<number> {
  const { io } = context
  if (options.readOnly && options.stateDir !== undefined)
    throw new YardError("usage", "--read-only keeps nothing, and so needs no --state-dir")
  const opened = await open(context, options, name)
  try {
    const { config } = await opened.unpack()
    return await serve(context, {
      ...options,
      config,
      watch: false,
      prepare: state => opened.fill(state),
      ...(options.stateDir !== undefined && { folder: resolve(io.cwd, options.stateDir) }),
      ...(options.readOnly && { keep: false }),
    })
  } finally {
    await opened.close()
  }
}

async function open(context: Context, options: ImageOptions, name: string | undefined): Promise<OpenedImage> {
  if (name === undefined) throw new YardError("usage", "which image?", { hint: "Name its file, or cid://… of a blob." })
  const id = options.id === undefined ? undefined : requireCid(options.id)
  const isBlob = name.startsWith("cid://")
  const from = isBlob ? (await readBlob(context, options, requireCid(name))).bytes : resolve(context.io.cwd, name)
  return context.deps.openImage(from, id)
}

/** What is not in the image, and has to be where it runs. */
function needsLines({ variables, programs, addresses }: ImageNeeds): string[] {
  const line = (what: string, names: string[]): string[] =>
    names.length === 0 ? [] : [`needs ${what}: ${names.map(oneLine).join(", ")}`]
  return [...line("the variables", variables), ...line("the programs", programs), ...line("to reach", addresses)]
}
