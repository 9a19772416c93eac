/** What the definitions of commands are made of. */
import { type Command, InvalidArgumentError, Option } from "commander"
import { type Context, LOG_LEVELS } from "./deps.ts"

export type Run<Args extends unknown[], Options> = (
  context: Context,
  options: Options,
  ...args: Args
) => Promise<number | undefined>

/** Makes what commander calls out of what loads the work. */
export type RunAction = <Args extends unknown[], Options>(
  load: () => Promise<Run<Args, Options>>,
) => (...given: unknown[]) => Promise<void>

export function define(program: Command, name: string, purpose: string, examples: string[]): Command {
  const text = examples.map(example => `  ${example}`).join("\n")
  return program
    .command(name)
    .description(purpose)
    .helpOption("-h, --help", "print help")
    .allowExcessArguments(false)
    .addHelpText("after", `\nExamples:\n${text}`)
}

export const config = (): Option => new Option("--config <file>", "use this configuration, not the one that is found")
export const json = (): Option => new Option("--json", "print one JSON document")
export const logLevel = (): Option => new Option("--log-level <level>", "how much to log on stderr").choices(LOG_LEVELS)
export const port = (): Option =>
  new Option("--port <n>", "the port to listen on; 0 for any that is free").argParser(whole(0, 65_535)).default(7331)

export const collect = (value: string, before: string[] = []): string[] => [...before, value]

export function whole(least: number, most: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (text.trim() === "" || !Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    return value
  }
}
