/** Compiles texts in a folder of their own, for the tests of what is generated. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const TSC = join(import.meta.dirname, "../../../../../node_modules/typescript/bin/tsc")
const OPTIONS =
  "--ignoreConfig --noEmit --strict --target es2024 --module esnext --moduleResolution bundler --allowImportingTsExtensions --pretty false"

/** What the compiler complains of, for each file: `line: message`. */
export async function compile(files: Record<string, string>): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "toolyard-typegen-"))
  try {
    const names = Object.keys(files)
    await Promise.all(names.map(name => writeFile(join(folder, name), files[name] as string)))
    const output = await tsc([...OPTIONS.split(" "), "--types", "", ...names], folder)
    const problems: Record<string, string[]> = Object.fromEntries(names.map(name => [name, []]))
    for (const [, name = "", line, message] of output.matchAll(/^(\S+)\((\d+),\d+\): (.*)$/gm))
      problems[name]?.push(`${line}: ${message}`)
    if (output !== "" && Object.values(problems).every(list => list.length === 0)) throw new Error(output)
    return problems
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function tsc(args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [TSC, ...args], { cwd, maxBuffer: 1e9 })
    return stdout
  } catch (error) {
    // It ends with a status when there are complaints.
    const { stdout } = error as { stdout?: string }
    if (stdout) return stdout
    throw error
  }
}
