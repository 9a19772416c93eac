/** The steps of `toolyard boot` as they happen: words for a person, or lines of JSON for a program and for a file. */
import { type FileHandle, open } from "node:fs/promises"
import { resolve } from "node:path"
import { YardError } from "../../model/errors.ts"
import type { BootEvent } from "./deps.ts"
import type { Io } from "./io.ts"
import { oneLine } from "./text.ts"

export interface BootLog {
  write(event: BootEvent): void
  close(): Promise<void>
}

export async function openBootLog(io: Io, options: { verbose?: boolean; logFile?: string }): Promise<BootLog> {
  const started = performance.now()
  const file = options.logFile === undefined ? undefined : await openFile(resolve(io.cwd, options.logFile))
  let written: Promise<unknown> = Promise.resolve()
  return {
    write(event) {
      const { data, ...rest } = { data: undefined, ...event }
      const line = JSON.stringify({
        time: new Date().toISOString(),
        afterMs: Math.round(performance.now() - started),
        ...rest,
        ...data,
      })
      if (file) written = written.then(() => file.write(`${line}\n`))
      if (options.verbose) io.err(line)
      else if (event.type === "step") io.err(`${io.paintErr.dim(event.step.padEnd(8))} ${oneLine(event.message)}`)
    },
    async close() {
      await written
      await file?.close()
    },
  }
}

function openFile(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new YardError("usage", `${path} cannot be written (${error.code})`, { hint: "Choose another --log-file." })
  })
}
