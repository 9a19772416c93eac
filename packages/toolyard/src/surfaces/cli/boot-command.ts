/** What `toolyard boot` takes. */
import type { Command } from "commander"
import { collect, config, define, json, port, type RunAction } from "./define-command.ts"

export function defineBootCommand(program: Command, run: RunAction): void {
  define(program, "boot", "make a server from a sentence and links to documentation", [
    'toolyard boot "Hacker News: top stories, an item, a user. https://github.com/HackerNews/API" --name hn --add',
    "toolyard boot --prompt-file weather.md --dry-run",
    'toolyard boot "Convert between units of length and weight" --serve --port 0',
  ])
    .usage("[options] PROMPT | --prompt-file FILE")
    .argument("[prompt]", "what the tools should do, in plain words, with links to the documentation")
    .option("--prompt-file <file>", "read the prompt from this file")
    .option("--name <name>", "what the server is called (default: the first words of the prompt)")
    .option("--provider <name>", "whose model to use: anthropic, openai or openai-compatible")
    .option("--model <name>", "the model, also as provider/name (default: `llm` of the configuration)")
    .option("--api-key <key>", "the provider's key (default: ANTHROPIC_API_KEY or OPENAI_API_KEY)")
    .option("--base-url <url>", "where the provider is, for those that speak the same protocol")
    .option("--allow <host>", "a host that the tools may also reach; may be repeated", collect)
    .option("--cache-dir <folder>", "where to keep what is made (default: .toolyard)")
    .option("--no-cache", "make everything anew, also what was edited by hand")
    .option("--dry-run", "print the plan as JSON and make nothing")
    .option("--add", "write the server into the configuration")
    .option("--serve", "start a hub with this server")
    .addOption(port())
    .addOption(config())
    .option("--verbose", "log every step as a line of JSON on stderr, with times and tokens")
    .option("--log-file <file>", "append these lines to a file")
    .addOption(json())
    .action(run(async () => (await import("./commands/boot.ts")).boot))
}
