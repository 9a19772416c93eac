/** The commands about content: blobs, whole yards as images, and servers as projects of their own. */
import { type Command, Option } from "commander"
import { collect, config, define, json, logLevel, port, type RunAction, whole } from "./define-command.ts"

export function defineContentCommands(program: Command, run: RunAction): void {
  program.commandsGroup("Pin it down:")
  define(program, "image", "make one file of the whole yard, look into such a file, or run it", [
    "toolyard image build -o yard.image",
    "toolyard image inspect yard.image",
    "toolyard image run yard.image --read-only",
    "toolyard image run yard.image --id bafkrei…",
  ])
    .usage("[options] build | inspect IMAGE | run IMAGE")
    .argument("<action>", "build, inspect or run")
    .argument("[image]", "the image's file, or cid://… for one among the blobs")
    .option("-o, --output <file>", "build: where to write it (default: yard.image)")
    .option("--put", "build: also keep it among the blobs")
    .option("--include <path>", "build: a file or folder that nothing names; may be repeated", collect)
    .addOption(config())
    .option("--id <cid>", "run, inspect: refuse every image but this one")
    .option("--read-only", "run: write nothing, and refuse tools that say that they change things")
    .option("--state-dir <folder>", "run: where to keep what must last (default: beside the unpacked files)")
    .addOption(port())
    .option("--host <address>", "run: the address to listen on", "127.0.0.1")
    .option("--no-auth", "run: ask for no token (on loopback only)")
    .option("--token <token>", "run: the token to ask for (default: TOOLYARD_TOKEN, or a random one)")
    .addOption(logLevel().default("info"))
    .addOption(new Option("--json", "print one JSON document; with run, one line when the hub is ready"))
    .action(run(async () => (await import("./commands/image.ts")).image))
  define(program, "blobs", "put content in under its id, and get it out", [
    "toolyard blobs put logo.png --type image/png",
    "toolyard blobs get cid://bafkrei… -o logo.png",
    "toolyard blobs list",
    "toolyard blobs rm cid://bafkrei…",
  ])
    .usage("[options] put FILE | get CID | list | rm CID")
    .argument("<action>", "put, get, list or rm")
    .argument("[name]", "the file to put in (- for stdin), or the content's id")
    .option("--type <media type>", "put: what it is, such as image/png")
    .option("-o, --output <file>", "get: write it there")
    .option("--limit <n>", "list: how many to show at most", whole(1, 100_000), 100)
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/blobs.ts")).blobs))
  define(program, "eject", "write a server as a project of its own, which runs without toolyard", [
    "toolyard eject petstore ./petstore-server",
    "toolyard eject math ../math --force",
  ])
    .usage("[options] SERVER DIR")
    .argument("<server>", "the server's name")
    .argument("<dir>", "the folder to write; a new or empty one")
    .option("--force", "write into a folder that holds something; what has other names stays")
    .addOption(config())
    .addOption(json())
    .action(run(async () => (await import("./commands/eject.ts")).eject))
}
