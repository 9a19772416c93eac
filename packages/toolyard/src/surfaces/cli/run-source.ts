/** What `run` and `scripts save` are given: the script, wherever it stands, and its input. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { YardError } from "../../model/errors.ts"
import type { RunRequest } from "../../model/run.ts"
import type { Io } from "./io.ts"
import { readStdin } from "./read-stdin.ts"

export interface SourceOptions {
  eval?: string
  script?: string
  input?: string
}

export interface RunSource extends Pick<RunRequest, "code" | "script" | "input"> {
  /** What the script is called in messages about it. */
  name?: string
}

const WAYS = "Give exactly one: FILE, -e CODE, --script NAME, or - for stdin."

export async function readSource(io: Io, options: SourceOptions, file: string | undefined): Promise<RunSource> {
  const { eval: code, script } = options
  const given = [file, code, script].filter(way => way !== undefined).length
  if (given > 1) throw new YardError("usage", "there is more than one script", { hint: WAYS })
  if (given === 0 && io.stdin.isTTY) throw new YardError("usage", "which script?", { hint: WAYS })
  const piped = file === "-" || given === 0
  if (piped && options.input === "-")
    throw new YardError("usage", "stdin can't be both the script and its input", { hint: "Put one of them in a file." })
  const input = options.input === undefined ? {} : { input: await readInput(io, options.input) }
  if (script !== undefined) return { script, ...input }
  if (code !== undefined) return { code: notEmpty(code), ...input }
  if (piped) return { code: notEmpty(await readStdin(io, "the script")), ...input }
  return { code: notEmpty(await readScript(io, file as string)), name: file as string, ...input }
}

/** A file with a script in it. */
export async function readScript(io: Io, file: string): Promise<string> {
  return readFile(resolve(io.cwd, file), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new YardError("not_found", `${file} cannot be read (${error.code ?? error.message})`, {
      hint: `Is it there? \`toolyard run -e CODE\` takes code itself, \`--script NAME\` a saved script.`,
    })
  })
}

/** JSON as it is written, in a file (`@file`), or on stdin (`-`). */
async function readInput(io: Io, written: string): Promise<unknown> {
  const text =
    written === "-"
      ? await readStdin(io, "the input")
      : written.startsWith("@")
        ? await readScript(io, written.slice(1))
        : written
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new YardError("usage", `the input is not valid JSON: ${(error as Error).message}`, {
      hint: 'For example --input \'{"name": "value"}\', --input @file.json, or --input - for stdin.',
    })
  }
}

function notEmpty(code: string): string {
  if (code.trim() === "") throw new YardError("usage", "the script is empty", { hint: WAYS })
  return code
}
