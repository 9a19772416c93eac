/** A command line as a stand-alone server: the line as data, and what runs it. */
import { basename, isAbsolute, relative } from "node:path"
import type { CommandEntry } from "../../model/config.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"
import { fillCommandLine, parseCommandLine } from "../../sources/command/command-line.ts"
import { sampleArguments } from "../../sources/prompt/verify/sample.ts"
import type { Part } from "../../sources/static/placeholders.ts"
import { pathIn } from "../image/project-path.ts"
import { filesOfServers } from "../image/written.ts"
import { referencesIn } from "./as-written.ts"
import { toOffered } from "./definitions.ts"
import type { EjectInput, Ejection } from "./ejection.ts"
import { toLiteral } from "./literal.ts"
import { takeFiles } from "./programs.ts"
import { readTemplates } from "./template.ts"

/** Where files of the project go that the command line names. */
const FOLDER = "program"

export async function ejectCommand({ root, written }: EjectInput, tools: ToolDefinition[]): Promise<Ejection> {
  const entry = written.entry as CommandEntry
  const line = parseCommandLine(entry)
  const named = await filesOfServers(root, [written])
  const taken = await takeFiles(root, named.starts)
  const cwd = relative(root, entry.cwd)
  const place = [FOLDER, ...(cwd === "" || cwd.startsWith("..") ? [] : [cwd.replaceAll("\\", "/")])].join("/")
  const command = isAbsolute(entry.command) ? (pathIn(root, entry.command) ?? entry.command) : entry.command
  const isOwn = command !== entry.command
  const data = {
    command: isOwn ? `./${relative(cwd, command) || command}` : command,
    args: line.args.map(parts => parts.map(toPart)),
    ...(line.stdin && { stdin: line.stdin.map(toPart) }),
    defaults: Object.fromEntries(
      [...line.parameters.values()].flatMap(({ name, default: preset }) =>
        preset === undefined ? [] : [[name, preset]],
      ),
    ),
    mayBeOption: optionsOf(line.inputSchema),
  }
  const offered = toOffered(written, tools)
  const samples = offered.flatMap(({ definition }) => samplesOf(definition, line))
  const files = await readTemplates(["src/command.ts", "src/text.ts"])
  for (const [path, content] of taken.files) files.set(`${FOLDER}/${path}`, content)
  files.set("src/handlers/index.ts", handlersText(data, taken.files.size > 0 ? place : undefined))
  files.set("test/command.test.ts", TEST)
  const referenced = referencesIn({ args: entry.args, stdin: entry.stdin, command: entry.command })
  const variables = Object.fromEntries(referenced.map(({ name }) => [name, `test-${name}`]))
  const filled = JSON.stringify({ variables, samples }, undefined, 2).replace(/\$\{(\w+)[^}]*\}/g, "test-$1")
  files.set("test/samples.json", `${filled}\n`)
  const passed = Object.keys(entry.env).filter(name => !referenced.some(known => known.name === name))
  return {
    tools: offered.map(({ definition }) => definition),
    files,
    dependencies: taken.dependencies,
    devDependencies: taken.devDependencies,
    variables: [
      ...referenced.map(({ name, hasDefault }) => ({
        name,
        purpose: "stands in the command line",
        required: !hasDefault,
      })),
      ...passed.map(name => ({ name, purpose: `passed on to ${basename(command)}`, required: true })),
    ],
    notes: [
      ...(isOwn ? [] : [`The program \`${command}\` must be installed.`]),
      "The tests look at the command line that a call becomes; the program itself is not run by them.",
    ],
    warnings: [...named.problems, ...taken.warnings],
  }
}

const toPart = (part: Part): unknown =>
  typeof part === "string" ? part : { parameter: part.name, ...(part.list && { list: true }) }

/** Which values may begin with a dash: those that the schema names or describes. */
function optionsOf({ properties }: JsonObject): JsonObject {
  const known = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    const { items, enum: values, pattern } = { ...(schema as JsonObject) }
    const inner = isObject(items) ? items : {}
    const allowed = { values: values ?? inner.enum, pattern: pattern ?? inner.pattern }
    return allowed.values === undefined && allowed.pattern === undefined ? [] : [[name, allowed] as const]
  })
  return Object.fromEntries(known)
}

function samplesOf({ inputSchema }: ToolDefinition, line: ReturnType<typeof parseCommandLine>): JsonObject[] {
  const kinds = [true, false].map(all => sampleArguments(inputSchema as JsonObject, { all }))
  const [first, second] = kinds.map(args => JSON.stringify(args))
  return (first === second ? kinds.slice(1) : kinds).flatMap(args => {
    try {
      const { args: argv, stdin } = fillCommandLine(line, args)
      return [{ arguments: args, argv, ...(stdin !== undefined && { stdin }) }]
    } catch {
      return []
    }
  })
}

function handlersText(line: JsonObject, folder: string | undefined): string {
  const cwd = folder === undefined ? "" : `  cwd: fileURLToPath(new URL("../../${folder}", import.meta.url)),\n`
  const members = Object.entries(line).map(([key, value]) => `  ${key}: ${toLiteral(value, 2)},\n`)
  return `/** The tool is one command line. */
${folder === undefined ? "" : 'import { fileURLToPath } from "node:url"\n'}import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server"
import { type Line, run } from "../command.ts"

export const line: Line = {
${members.join("")}${cwd}}

export async function callTool(
  _name: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  return run(line, args, context.mcpReq.signal)
}
`
}

const TEST = `import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { fill } from "../src/command.ts"
import { line } from "../src/handlers/index.ts"

const { variables, samples } = JSON.parse(readFileSync(new URL("./samples.json", import.meta.url), "utf8"))
Object.assign(process.env, variables)

for (const { arguments: args, argv, stdin } of samples) {
  test(\`becomes \${[line.command, ...argv].join(" ")}\`, () => {
    assert.deepEqual(fill(line, args), { argv, stdin })
  })
}

test("passes no option where a value is meant", () => {
  const [first] = line.args.flat().filter(part => typeof part !== "string")
  if (!first || first.parameter in line.mayBeOption || line.args.some(([part]) => part === "--")) return
  if (!line.args.some(([part]) => part === first)) return
  const value = first.list ? ["--version"] : "--version"
  assert.throws(() => fill(line, { ...samples[0]?.arguments, [first.parameter]: value }), /option/)
})
`
