/**
 * The compiler on one module of the user's, as it lies on the disk. Its settings come from the nearest tsconfig.json
 * (`paths`, `jsx`, `customConditions`), but for those that decide what a type means.
 */
import type { ChildProcess } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join, parse } from "node:path"
import { API, type Project } from "typescript/unstable/sync"
import { YardError } from "../../../model/errors.ts"
import { GLOBALS, TOOLYARD } from "./declarations.ts"

export interface ModuleProject {
  project: Project
  /** The module as the compiler names it. */
  file: string
  /** Whether the file is the user's own. */
  isOwn(file: string): boolean
  close(): void
}

const OPTIONS = {
  strict: true,
  strictNullChecks: true,
  exactOptionalPropertyTypes: false,
  target: "esnext",
  lib: ["esnext"],
  noLib: false,
  module: "preserve",
  moduleResolution: "bundler",
  allowJs: true,
  checkJs: true,
  resolveJsonModule: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  composite: false,
  incremental: false,
  skipLibCheck: true,
}

/** `toolyard` is always what we say it is: the real package would load the types of all that it is built on. */
const OURS = /\/node_modules\/toolyard(?:\/(package\.json|index\.d\.ts|globals\.d\.ts))?$/
const PACKAGE: Record<string, string> = {
  "package.json": JSON.stringify({ name: "toolyard", types: "./index.d.ts" }),
  "index.d.ts": TOOLYARD,
  "globals.d.ts": GLOBALS,
}

export function openModule(path: string): ModuleProject {
  const file = toSlashes(path)
  const folder = dirname(file)
  // The last place where a package is looked for, so that there always is one.
  const last = `${toSlashes(parse(path).root)}node_modules`
  const config = `${folder}/tsconfig.toolyard-describe.json`
  const hasNode = nearest(folder, "node_modules/@types/node") !== undefined
  const base = nearest(folder, "tsconfig.json")
  const configText = JSON.stringify({
    ...(base && { extends: base }),
    compilerOptions: { ...(!base && { jsx: "preserve" }), ...OPTIONS, types: hasNode ? ["node"] : [] },
    files: [file, ...(hasNode ? [] : [`${last}/toolyard/globals.d.ts`])],
    include: [],
    references: [],
  })
  const textOf = (name: string) => (name === config ? configText : PACKAGE[OURS.exec(name)?.[1] ?? ""])
  const api = new API({
    cwd: folder,
    fs: {
      // `undefined` leads to the disk.
      readFile: textOf,
      fileExists: name => (textOf(name) === undefined ? undefined : true),
      directoryExists: name => (name === last || OURS.test(name) ? true : undefined),
      realpath: name => (OURS.test(name) ? name : undefined),
    },
  })
  const close = () => end(api)
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects()
    if (!project) throw new YardError("internal", `the compiler has no project for ${path}`)
    return { project, file, close, isOwn: name => name === file || !name.includes("/node_modules/") }
  } catch (error) {
    close()
    throw error
  }
}

function toSlashes(path: string): string {
  return path.replaceAll("\\", "/")
}

/** That file or folder in the folder, or in the nearest one above that has it. */
function nearest(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return `${at === "/" ? "" : at}/${name}`
    if (dirname(at) === at) return undefined
  }
}

/** Its own way to close asks the process to end, which then complains on our stderr. */
function end(api: API): void {
  const { client } = api as unknown as { client: { channel: { child: ChildProcess }; close(): void } }
  client.channel.child.kill("SIGKILL")
  client.close()
}
