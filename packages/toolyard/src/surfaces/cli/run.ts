/** The command line as a whole: arguments in, exit code out. */
import { YardError } from "../../model/errors.ts"
import type { CliDeps, Context } from "./deps.ts"
import { createIo } from "./io.ts"
import { printError } from "./print-error.ts"

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

export async function runCli(argv: string[], deps: CliDeps): Promise<number> {
  // Nothing else is loaded for this: scripts and editors ask it before anything else.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    process.stdout.write(`${deps.version}\n`)
    return 0
  }
  const io = createIo(process)
  const json = argv.slice(0, endOfOptions(argv)).includes("--json")
  const ending = new AbortController()
  let stray = (error: unknown): void => process.exit(printError(error, io, json))
  process.on("uncaughtException", error => stray(error))
  process.on("unhandledRejection", error => stray(error))
  // Whoever reads our output may leave early (`| head`); that is no failure of ours.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      // The second time somebody is in a hurry; children are ended by the watchdog.
      if (ending.signal.aborted) process.exit(code)
      ending.abort(new YardError("cancelled", "interrupted", { hint: "", data: { exit: code } }))
    })
  }
  const context: Context = {
    deps,
    io,
    signal: ending.signal,
    onStray: listener => {
      stray = listener
    },
  }
  try {
    const { parse } = await import("./program.ts")
    return await parse(argv, context)
  } catch (error) {
    if (ending.signal.aborted) {
      io.progress("")
      return exitOf(ending.signal)
    }
    return printError(error, io, json)
  }
}

function endOfOptions(argv: string[]): number {
  const at = argv.indexOf("--")
  return at === -1 ? argv.length : at
}

function exitOf({ reason }: AbortSignal): number {
  return (reason as YardError & { data: { exit: number } }).data.exit
}
