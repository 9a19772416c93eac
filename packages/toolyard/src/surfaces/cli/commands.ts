/** What every command is called, takes and shows as help. The work is loaded when the command is run. */
import { type Command, Option } from "commander"
import { defineBootCommand } from "./boot-command.ts"
import { defineCodeCommands } from "./code-commands.ts"
import { defineContentCommands } from "./content-commands.ts"
import { collect, config, define, json, logLevel, port, type RunAction, whole } from "./define-command.ts"
import type { Context } from "./deps.ts"

export function defineCommands(program: Command, context: Context, onExit: (code: number) => void): void {
  const run: RunAction =
    load =>
    async (...given) => {
      const [options] = given.splice(-2) as [never, Command]
      const work = await load()
      onExit((await work(context, options, ...(given as never))) ?? 0)
    }

  program.commandsGroup("Run the hub:")
  define(program, "serve", "start the hub: every server behind one URL", [
    "toolyard serve",
    "toolyard serve --port 0 --config ./team.json",
  ])
    .addOption(port())
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--no-auth", "ask for no token (on loopback only)")
    .option("--token <token>", "the token to ask for (default: TOOLYARD_TOKEN, or a random one)")
    .addOption(config())
    .addOption(logLevel().default("info"))
    .option("--no-watch", "do not follow edits of the configuration")
    .option("--json", "print one line of JSON when the hub is ready, as is done where stdout is no terminal")
    .action(run(async () => (await import("./commands/serve.ts")).serve))
  define(program, "stdio", "the hub as an MCP server over stdin and stdout, for a client to start", [
    "toolyard stdio",
    "toolyard stdio --server github",
  ])
    .addOption(config())
    .option("--server <name>", "offer this server alone, under its tools' own names")
    .addOption(logLevel().default("warn"))
    .action(run(async () => (await import("./commands/stdio.ts")).stdio))

  program.commandsGroup("Use it:")
  define(program, "servers", "list the servers and how they are", ["toolyard servers", "toolyard servers --json"])
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/servers.ts")).servers))
  define(program, "tools", "list the tools, of one server or of all", [
    "toolyard tools",
    "toolyard tools github --schema",
  ])
    .argument("[server]", "the server's name")
    .option("--schema", "with every tool's description and input schema")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/tools.ts")).tools))
  define(program, "search", "find tools by what they do", [
    "toolyard search create an issue",
    'toolyard search "send message" --server slack --limit 3',
  ])
    .argument("<query...>", "words that say what is wanted")
    .option("--limit <n>", "how many to show at most", whole(1, 100), 8)
    .option("--server <name>", "look at this server only")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/search.ts")).search))
  define(program, "call", "call a tool and print what it gives", [
    'toolyard call math.add \'{"a": 1, "b": 2}\'',
    "toolyard call math.add --arg a=1 --arg b=2",
    "cat arguments.json | toolyard call math__add -",
  ])
    .argument("<tool>", "SERVER.TOOL or server__tool")
    .argument("[arguments]", "a JSON object, or - to read it from stdin")
    .option("--arg <name=value>", "one argument; may be repeated", collect)
    .option("--timeout <ms>", "give up after this long", whole(1, 2_147_483_647))
    .option("--read-only", "refuse a tool that says that it changes things")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/call.ts")).call))

  defineCodeCommands(program, run)

  program.commandsGroup("Set it up:")
  define(program, "init", "write a toolyard.json to start from", ["toolyard init", "toolyard init --example ts"])
    .option("--force", "replace files that are there")
    .addOption(
      new Option("--example <language>", "also write a first server of your own into servers/").choices(["ts", "py"]),
    )
    .addOption(json())
    .action(run(async () => (await import("./commands/init.ts")).init))
  define(program, "add", "add a server to the configuration", [
    "toolyard add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "toolyard add docs --url https://docs.example/mcp --header 'Authorization=Bearer ${DOCS_TOKEN}'",
    "toolyard add math --file servers/math.ts",
    "toolyard add disk --tool -- df -h '{{path}}'",
    'toolyard add files --entry \'{"command": "npx", "args": ["-y", "some-server"]}\'',
  ])
    .usage("[options] NAME (-- COMMAND [ARGS...] | --file FILE | --url URL | --entry JSON | …)")
    .argument("<name>", "the server's name")
    .argument("[command...]", "the program to run and its arguments, after --")
    .option("--tool", "the program is no MCP server: make one tool of the command line")
    .option("--file <file>", "a TypeScript, JavaScript or Python file: its functions become tools")
    .option("--static", "tools, resources and prompts that you write into the configuration")
    .option("--openapi <spec>", "an OpenAPI description: a file or a URL")
    .option("--graphql <url>", "a GraphQL endpoint")
    .option("--prompt <text>", "what the tools should do, in plain words")
    .option("--url <url>", "the address of a server that runs elsewhere")
    .option("--sse", "it speaks only the old SSE transport")
    .option("--header <name=value>", "an HTTP header; may be repeated", collect)
    .option("--env <name=value>", "an environment variable; may be repeated", collect)
    .option("--entry <json>", "the whole entry, for everything else that an entry can hold")
    .option("--description <text>", "what the server is for")
    .option("--user", "add it to your own file, for every project")
    .option("--force", "replace a server of that name")
    .option("--no-check", "do not try to connect")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/add.ts")).add))
  defineBootCommand(program, run)
  define(program, "remove", "remove a server from the configuration", ["toolyard remove files"])
    .argument("<name>", "the server's name")
    .option("--user", "remove it from your own file")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/remove.ts")).remove))

  defineContentCommands(program, run)

  program.commandsGroup("Look into it:")
  define(program, "doctor", "check everything, and say what to do about what is wrong", [
    "toolyard doctor",
    "toolyard doctor github",
  ])
    .argument("[server]", "look at this server only")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/doctor.ts")).doctor))
  define(program, "logs", "show the last calls, or what one server wrote and was asked", [
    "toolyard logs",
    "toolyard logs github --limit 50",
    "toolyard logs --follow",
  ])
    .argument("[server]", "the server's name")
    .option("--limit <n>", "how many to show at most", whole(1, 10_000), 20)
    .option("-f, --follow", "go on as they come (with --json: one object a line)")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/logs.ts")).logs))
  define(program, "stats", "count calls by server, and runs", ["toolyard stats", "toolyard stats --json"])
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/stats.ts")).stats))
  program.commandsGroup("Other:").helpCommand("help [command]", "print help for a command")
}
