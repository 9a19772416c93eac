/** The commands put together, and what commander has to say of a wrong command line in our own words. */
import { Command, CommanderError } from "commander"
import { YardError } from "../../model/errors.ts"
import { defineCommands } from "./commands.ts"
import type { Context } from "./deps.ts"

const PURPOSE = "One place for every tool an AI agent may use."

/** Runs the command that is named and gives its exit code. */
export async function parse(argv: string[], context: Context): Promise<number> {
  let exit = 0
  const program = new Command("toolyard")
    .description(PURPOSE)
    .version(context.deps.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .exitOverride()
    .configureOutput({ writeOut: text => context.io.out(text.replace(/\n$/, "")), outputError: () => {} })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText("after", "\n`toolyard COMMAND --help` has the options and examples of a command.")
  defineCommands(program, context, code => {
    exit = code
  })
  if (argv.length === 0) {
    program.outputHelp()
    return 0
  }
  try {
    await program.parseAsync(argv, { from: "user" })
    return exit
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0
    throw toUsageError(error, argv)
  }
}

function toUsageError({ message, code }: CommanderError, argv: string[]): YardError {
  const text = message.replace(/^error: /, "").replace(/\n\(Did you mean (.+)\?\)$/, '; did you mean "$1"?')
  const [command = ""] = argv
  const known = code !== "commander.unknownCommand" && !command.startsWith("-")
  const dashes = command === "add" && code === "commander.unknownOption"
  const hint = dashes
    ? "Put `--` before the command: toolyard add NAME -- COMMAND ARGS…"
    : `See \`toolyard ${known ? `${command} --help` : "--help"}\`.`
  return new YardError("usage", text, { hint })
}
