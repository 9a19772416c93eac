/** The commands of code mode: scripts, what becomes of them, and what they are checked against. */
import { type Command, Option } from "commander"
import { config, define, json, type RunAction, whole } from "./define-command.ts"

export function defineCodeCommands(program: Command, run: RunAction): void {
  program.commandsGroup("Run code against it:")
  define(program, "run", "run a script that uses the tools", [
    "toolyard run report.ts",
    "toolyard run -e 'return await tools.math.add({ a: 1, b: 2 })'",
    "toolyard run report.ts --input '{\"month\": 3}'",
    "echo 'return 1 + 1' | toolyard run",
  ])
    .argument("[file]", "a file with TypeScript or JavaScript, or - for stdin")
    .option("-e, --eval <code>", "the script itself")
    .option("--script <name>", "a saved script, NAME or NAME@VERSION")
    .option("--input <json>", "what the script gets as `input`: JSON, @FILE, or - for stdin")
    .option("--read-only", "refuse tools that say that they change things")
    .option("--timeout <ms>", "end it after this long", whole(1, 86_400_000))
    .option("--no-check", "do not check the types first")
    .option("--background", "print the run's id and let the hub go on with it")
    .option("-q, --quiet", "do not print the value")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/run.ts")).run))
  define(program, "repl", "run scripts line by line", [
    "toolyard repl",
    "printf 'const a = 1\\na + 1\\n' | toolyard repl",
  ])
    .option("--read-only", "refuse tools that say that they change things")
    .addOption(config())
    .addOption(new Option("--json", "print the report of each entry, one a line"))
    .action(run(async () => (await import("./commands/repl.ts")).repl))
  define(program, "types", "print the TypeScript declarations of the tools", [
    "toolyard types",
    "toolyard types github",
    "toolyard types github.createIssue",
  ])
    .argument("[name]", "SERVER or SERVER.TOOL, as configured or as in TypeScript")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/types.ts")).types))
  define(program, "runs", "list the runs, or show one, wait for it, end it or run it again", [
    "toolyard runs",
    "toolyard runs RUN",
    "toolyard runs RUN --wait",
    "toolyard runs RUN --replay",
  ])
    .argument("[id]", "the run's id")
    .option("--limit <n>", "how many to list at most", whole(1, 1000), 20)
    .option("--wait [ms]", "wait until it ends or somebody must decide, or so long", whole(0, 86_400_000))
    .option("--replay", "run it again with the answers of its record; no tool is called")
    .option("--cancel", "end it")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/runs.ts")).runs))
  define(program, "approvals", "list the calls that wait for a decision, or decide", [
    "toolyard approvals",
    "toolyard approvals approve ID --always",
    'toolyard approvals deny ID --reason "not on Fridays"',
  ])
    .usage("[options] [approve ID | deny ID]")
    .argument("[action]", "approve or deny")
    .argument("[id]", "of the approval, or of the run for all that it waits for")
    .option("--always", "approve further calls of that tool in the same run, too")
    .option("--reason <text>", "why it is denied; the script is told")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/approvals.ts")).approvals))
  define(program, "scripts", "list the saved scripts, or save, show or remove one", [
    "toolyard scripts",
    "toolyard scripts save report report.ts",
    "toolyard scripts save report --run RUN",
    "toolyard scripts show report@1",
  ])
    .usage("[options] [save NAME (FILE | - | --run ID) | show NAME | remove NAME]")
    .argument("[action]", "save, show or remove")
    .argument("[name]", "the script's name; NAME@VERSION shows an older one")
    .argument("[file]", "a file with the script, or - for stdin")
    .option("--run <id>", "save the code of this run")
    .option("--description <text>", "what it does, in place of its first comment")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/scripts.ts")).scripts))
}
