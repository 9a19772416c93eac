/** Where a generated server is kept between starts, and what must be the same for it to be used again. */
import { hash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import type { DocumentPage, Gathered } from "../model.ts"
import { fromFiles, type Generated, toFiles } from "./generated.ts"
import { type Files, readFolder, replaceFolder, setAside } from "./swap-folder.ts"

/** Another one for other instructions, checks or files: what an older one made is made again. */
export const GENERATOR = 1

const Manifest = z.object({
  generator: z.literal(GENERATOR),
  /** Of the prompt, the documents, the generator and the model. */
  key: z.string(),
  prompt: z.string(),
  /** None when no model was needed. */
  model: z.string().optional(),
  /** Hashes of what was read, by URL. */
  documents: z.record(z.string(), z.string()),
  /** Hashes of the files as they were generated. */
  files: z.record(z.string(), z.string()),
})
export type Manifest = z.infer<typeof Manifest>

export interface Stored {
  folder: string
  generated: Generated
  manifest: Manifest
  /** Files that a person has changed since. */
  edited: string[]
}

const MANIFEST = "manifest.json"
/** Records of what happened: nothing that anybody would edit. */
const RECORDS = new Set(["report.json", "examples.json"])

export function folderOf(base: string, server: string): string {
  return join(base, server.replace(/[^A-Za-z0-9_.-]/g, "_").replace(/^\./, "_"))
}

/** `undefined` when there is none, or none that can be used; `problem` is then told why. */
export async function readStored(folder: string, problem: (text: string) => void): Promise<Stored | undefined> {
  const files = await readFolder(folder)
  if (!files) return undefined
  try {
    const manifest = Manifest.parse(JSON.parse(files.get(MANIFEST) ?? ""))
    const missing = Object.keys(manifest.files).find(name => !files.get(name)?.trim())
    if (missing !== undefined) throw new Error(`${missing} is missing or empty`)
    return { folder, manifest, generated: fromFiles(files), edited: editedIn(files, manifest) }
  } catch (error) {
    problem(`${folder} cannot be used (${(error as Error).message.split("\n")[0]}) and is made again`)
    return undefined
  }
}

/** What was made of this prompt before, whether or not the documentation has changed since. */
export async function findStored(
  folder: string,
  from: { prompt: string; model?: string | undefined },
  problem: (text: string) => void,
): Promise<Stored | undefined> {
  const stored = await readStored(folder, problem)
  return stored && isMadeFrom(stored.manifest, from) ? stored : undefined
}

export interface StoreOptions {
  prompt: string
  model?: string | undefined
  pages: readonly DocumentPage[]
  /** Also replaces what a person has edited. */
  overwrite?: boolean
  problem: (text: string) => void
}

/** Puts it in place of what was there. What a person has edited stays; what was generated for it stands beside it as `.new`. */
export async function store(folder: string, generated: Generated, options: StoreOptions): Promise<Stored> {
  const previous = await readStored(folder, () => {})
  if (!previous && existsSync(folder)) options.problem(`what was there before is in ${await setAside(folder)}`)
  const before = (previous && (await readFolder(folder))) ?? new Map<string, string>()
  const fresh = toFiles(generated)
  const files: Files = new Map(fresh)
  if (previous && !options.overwrite) {
    const known = new Set([...Object.keys(previous.manifest.files), MANIFEST])
    const kept = [...before.keys()].filter(name => previous.edited.includes(name) || !known.has(name))
    for (const name of kept) {
      if (name.endsWith(".new") || RECORDS.has(name)) continue
      const text = before.get(name) as string
      const other = fresh.get(name)
      files.set(name, text)
      if (other === undefined || other === text) continue
      files.set(`${name}.new`, other)
      options.problem(
        `${join(folder, name)} was edited and is kept; what was generated now is beside it, in ${name}.new`,
      )
    }
  }
  const manifest = toManifest(fresh, options)
  files.set(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`)
  await replaceFolder(folder, files)
  return { folder, manifest, generated: fromFiles(files), edited: editedIn(files, manifest) }
}

/** The same without a disk. */
export function unstored(generated: Generated, options: Omit<StoreOptions, "problem" | "overwrite">): Stored {
  return { folder: "", generated, manifest: toManifest(toFiles(generated), options), edited: [] }
}

/** What was read, page by page: as long as it stays the same, so does what is made of it. */
export function pagesOf({ pages, descriptions }: Gathered): DocumentPage[] {
  const described = new Set(descriptions.map(({ url }) => url))
  return [
    ...pages.filter(({ url }) => !described.has(url)),
    ...descriptions.map(({ url, text }) => ({ url, markdown: text })),
  ]
}

/** All of it in one short text. */
export function readingOf(gathered: Gathered): string {
  return digest(JSON.stringify(pagesOf(gathered).map(({ url, markdown }) => [url, markdown])))
}

/** Whether what was read now is what was read then; pages that could not be read now do not count. */
export function isSameReading({ documents }: Manifest, pages: readonly DocumentPage[]): boolean {
  return pages.every(({ url, markdown }) => documents[url] === digest(markdown))
}

/** Whether it was made from this prompt, by this model if one is named. */
export function isMadeFrom({ prompt, model }: Manifest, from: { prompt: string; model?: string | undefined }): boolean {
  return prompt === from.prompt && (model === undefined || from.model === undefined || model === from.model)
}

function toManifest(files: Files, { prompt, model, pages }: Omit<StoreOptions, "problem">): Manifest {
  const documents = Object.fromEntries(pages.map(({ url, markdown }) => [url, digest(markdown)]))
  const key = digest(JSON.stringify([GENERATOR, prompt, model ?? null, Object.entries(documents).toSorted()]))
  return {
    generator: GENERATOR,
    key,
    prompt,
    ...(model !== undefined && { model }),
    documents,
    files: Object.fromEntries([...files].map(([name, text]) => [name, digest(text)])),
  }
}

function editedIn(files: Files, manifest: Manifest): string[] {
  return Object.entries(manifest.files).flatMap(([name, known]) =>
    digest(files.get(name) ?? "") === known ? [] : [name],
  )
}

function digest(text: string): string {
  return hash("sha256", text, "base64url")
}
