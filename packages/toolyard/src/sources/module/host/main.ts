/**
 * The process that hosts an author's module: `main FILE [--cache FOLDER]`, or `main --transform tools=FILE …` for
 * modules that compute what a server offers. It speaks MCP on stdin and stdout, which the author's code therefore
 * does not get.
 */
import { realpathSync } from "node:fs"
import { enableCompileCache, flushCompileCache } from "node:module"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Places } from "./places.ts"
import { createStrays } from "./strays.ts"

/** When a host is surely up, and has time. */
const FLUSH_MS = 2000

const { values, positionals } = parseArgs({
  options: { cache: { type: "string" }, transform: { type: "string", multiple: true } },
  allowPositionals: true,
})
if (values.cache !== undefined) enableCompileCache(join(values.cache, "compiled"))

const input = process.stdin
const write = process.stdout.write.bind(process.stdout)
// Whoever prints, prints to the log; whoever reads, finds nothing.
Object.defineProperty(process, "stdout", { value: process.stderr, configurable: true })
Object.defineProperty(process, "stdin", { get: emptyInput, configurable: true })
input.on("end", () => process.exit(0))
process.setSourceMapsEnabled(true)

const transforms = (values.transform ?? []).map(part => {
  const [list = "", ...path] = part.split("=")
  return { list, file: path.join("=") }
})
const entry = realpath(positionals[0] ?? transforms[0]?.file ?? "")
let places: Places | undefined
const strays = createStrays()
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error: unknown) => strays.claim(error) || fail(error))
}

try {
  const { createLoader } = await import("./load.ts")
  const { openWire } = await import("./wire.ts")
  const loader = createLoader(dirname(entry))
  places = loader.places
  const wire = openWire(write)
  const around = { wire, strays, file: entry, logLevel: "debug" as const }
  if (transforms.length > 0) {
    const { serveTransforms } = await import("./transform.ts")
    const files = new Map(transforms.map(({ list, file }) => [list, realpath(file)]))
    wire.listen(input, await serveTransforms(files, loader, around))
  } else {
    const { serveModule } = await import("./serve.ts")
    wire.listen(input, await serveModule(entry, loader, around, values.cache))
  }
  // Hosts are ended by a signal, and then keep nothing.
  if (values.cache !== undefined) setTimeout(flushCompileCache, FLUSH_MS).unref()
} catch (error) {
  fail(error)
}

/** The last line is what the hub shows. */
function fail(error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined
  const line = places?.lineFor(error, entry) ?? String(error)
  process.stderr.write(`${stack ? `${stack}\n` : ""}${line}\n`)
  process.exit(1)
}

function realpath(file: string): string {
  try {
    return realpathSync(resolve(file))
  } catch {
    process.stderr.write(`${file}: there is no such file\n`)
    process.exit(1)
  }
}

function emptyInput(): NodeJS.ReadableStream {
  const { Readable } = process.getBuiltinModule("node:stream")
  return Readable.from([])
}
