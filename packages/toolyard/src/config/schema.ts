/** `toolyard.json` as a person writes it: the one schema that loading checks against and editors complete from. */
import * as z from "zod"

/** Timers of Node.js end at once when they are set for longer than this. */
const LONGEST_TIMER = 2_147_483_647

const text = (description: string) => z.string().describe(description)
const flag = (description: string) => z.boolean().optional().describe(description)
const strings = (description: string) => z.array(z.string()).optional().describe(description)
const textMap = (description: string) => z.record(z.string(), z.string()).optional().describe(description)
const anyMap = (description: string) => z.record(z.string(), z.unknown()).optional().describe(description)
const milliseconds = (description: string) => z.int().min(1).max(LONGEST_TIMER).optional().describe(description)
const count = (description: string) => z.int().min(1).optional().describe(description)
const oneOrMany = (description: string) =>
  z
    .union([z.string(), z.array(z.string())], { error: "must be a string or an array of strings" })
    .optional()
    .describe(description)

/** An override of a tool that the server has; with one of the last keys, a tool of its own. */
const toolOverride = z.looseObject({
  enabled: flag("Whether the tool is offered at all."),
  timeoutMs: milliseconds("How long one call of this tool may take, in milliseconds."),
  description: text("What clients read about the tool, in place of the server's own words.").optional(),
  title: text("The tool's name for people.").optional(),
  annotations: anyMap("Hints such as readOnlyHint or destructiveHint, laid over the server's own."),
  inputSchema: anyMap("What the tool takes: JSON Schema. Default: a string for each {{name}}."),
  outputSchema: anyMap("What the tool gives: JSON Schema."),
  text: text("A tool that answers with this text, its {{name}} filled in.").optional(),
  content: z.array(z.unknown()).optional().describe("A tool that answers with these content blocks."),
  structured: anyMap("A tool that answers with this value."),
  call: text("A tool that calls this one (server__tool) with `arguments`.").optional(),
  arguments: anyMap("The arguments of `call`; {{name}} is filled in."),
  cid: text("A tool that answers with the content under this id.").optional(),
})

/** The keys that say what calling a tool gives. */
export const TOOL_BODIES = ["text", "content", "structured", "call", "cid"] as const

const transforms = z.strictObject({
  tools: text("A module whose default export computes the tools.").optional(),
  resources: text("A module whose default export computes the resources.").optional(),
  prompts: text("A module whose default export computes the prompts.").optional(),
})

/** Keys that an entry of any type may carry. */
const shared = {
  enabled: flag("Set to false to keep the entry but not start the server."),
  disabled: flag("The opposite of enabled, as some other clients write it."),
  description: text("What the server is for; shown in lists and used by search.").optional(),
  include: oneOrMany(
    "Globs on tool names: only these tools are offered. For openapi also tag:, path:, method:, operation:.",
  ),
  exclude: oneOrMany(
    "Globs on tool names: these tools are not offered. For openapi also tag:, path:, method:, operation:.",
  ),
  includeTools: oneOrMany("The same as include."),
  excludeTools: oneOrMany("The same as exclude."),
  rename: textMap("New names for tools: the server's name of a tool, then the name to offer it under."),
  readOnly: z
    .union([z.boolean(), z.literal("strict")], { error: 'must be true, false or "strict"' })
    .optional()
    .describe('Refuse tools that say they change things; "strict" also refuses tools that say nothing.'),
  timeoutMs: milliseconds("How long one call may take, in milliseconds. Default: 60000."),
  concurrency: z.int().min(1).optional().describe("How many calls may be under way at once. Default: 64."),
  isolation: z
    .enum(["shared", "session"])
    .optional()
    .describe('One server for all clients ("shared", the default), or one for each client session ("session").'),
  tools: z.record(z.string(), toolOverride).optional().describe("Tools to change or add, by name."),
  resources: anyMap("Resources to change or add, by URI."),
  prompts: anyMap("Prompts to change or add, by name."),
  transforms: transforms.optional().describe("Modules that compute what the server offers."),
  network: strings("Hosts that a script which uses this server may fetch from; a domain covers its subdomains."),
  discover: flag("Set to false to offer only what is written here, not what the server lists itself."),
}

const process = {
  args: strings("The command's arguments."),
  env: textMap("Environment variables for the process, added to a small safe set."),
  cwd: text("The folder to run in. Default: the project's folder.").optional(),
}
const headers = textMap("HTTP headers sent with every request.")
const file = {
  file: z.string().min(1).describe("The file, relative to the project's folder, or cid:// content."),
  env: textMap("Environment variables for its process, added to a small safe set."),
}

export const ENTRIES = {
  stdio: z.strictObject({
    type: z.enum(["stdio", "local"]).optional().describe("An MCP server that is run as a child process."),
    command: z.string().min(1).describe("The program to run."),
    ...process,
    ...shared,
  }),
  http: z.strictObject({
    type: z
      .enum(["http", "sse", "streamable-http", "streamableHttp"])
      .optional()
      .describe('An MCP server at a URL; "sse" for servers that speak only the old transport.'),
    url: z.string().min(1).describe("The server's address, starting with http:// or https://."),
    headers,
    ...shared,
  }),
  module: z.strictObject({
    type: z.literal("module").describe("A TypeScript or JavaScript file: exported functions become tools."),
    ...file,
    ...shared,
  }),
  python: z.strictObject({
    type: z.literal("python").describe("A Python file: its functions become tools."),
    ...file,
    python: text("The Python to run it with. Default: python3.").optional(),
    ...shared,
  }),
  command: z.strictObject({
    type: z.literal("command").describe("One tool made from a command line; {{name}} becomes a parameter."),
    command: z.string().min(1).describe("The program to run; never through a shell."),
    ...process,
    stdin: text("What is written to the program; {{name}} is filled in.").optional(),
    parameters: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .optional()
      .describe("What is known of each parameter besides its name: JSON Schema."),
    ...shared,
  }),
  static: z.strictObject({
    type: z.literal("static").describe("Tools, resources and prompts written out in this file."),
    ...shared,
  }),
  openapi: z.strictObject({
    type: z.literal("openapi").describe("Tools made from an OpenAPI description."),
    spec: z.string().min(1).describe("The description: a file of the project or a URL."),
    auth: anyMap("Secrets for the description's security schemes, by scheme."),
    headers,
    server: text("The API's address, in place of those that the description names.").optional(),
    ...shared,
  }),
  graphql: z.strictObject({
    type: z.literal("graphql").describe("Tools made from a GraphQL schema."),
    url: z.string().min(1).describe("The GraphQL endpoint."),
    schema: text("The schema as a file of the project, in place of asking the endpoint for it.").optional(),
    headers,
    ...shared,
  }),
  prompt: z.strictObject({
    type: z.literal("prompt").describe("Tools generated from a sentence and links."),
    prompt: z.string().min(1).describe("What the tools should do, with links to documentation."),
    allow: z
      .array(z.string().min(1))
      .optional()
      .describe("Hosts that the tools may reach besides those that the prompt and its documents name."),
    model: z.string().min(1).optional().describe("The model that makes them, as provider/model; else `llm` is used."),
    ...shared,
  }),
}

export type ServerType = keyof typeof ENTRIES
/** What every entry has in common, once it has been checked. */
export type SharedKeys = z.infer<z.ZodObject<typeof shared>>
export const SHARED_KEYS: readonly string[] = Object.keys(shared)

/** What may stand under `type`, and what it means. */
export const TYPES: ReadonlyMap<string, ServerType> = new Map([
  ...Object.keys(ENTRIES).map(type => [type, type as ServerType] as const),
  ["local", "stdio"],
  ["sse", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
])

export const ACTION = z.enum(["allow", "ask", "deny"])

export const ASK_TIMEOUT = milliseconds(
  "How long a call waits for a person to decide, in milliseconds. Default: 600000.",
)

export const RULE = z.strictObject({
  match: oneOrMany("Globs on tool ids (server__tool). Without it, the rule is about every tool."),
  annotations: anyMap('Annotation values that must all be equal, such as { "destructiveHint": true }.'),
  caller: oneOrMany("Globs on the caller: its surface (mcp, cli, http …) or its client's name."),
  do: ACTION.describe("What happens to a call that the rule is about."),
})

export const SECTIONS = {
  surface: z.enum(["auto", "code", "direct"]).describe('What /mcp offers. Default: "auto".'),
  sandbox: z
    .strictObject({
      timeoutMs: milliseconds("How long one run may take, in milliseconds. Default: 30000."),
      cpuMs: milliseconds("How long a script may compute, waiting not counted, in milliseconds. Default: 10000."),
      memoryMb: z.int().min(4).max(2048).optional().describe("Memory of one run, in megabytes. Default: 64."),
      maxCalls: count("How many tool calls and fetches one run may make. Default: 10000."),
      maxCallsInFlight: count("How many of them may be under way at once. Default: 256."),
      maxLogBytes: count("How many bytes one run may log. Default: 1000000."),
      maxResultBytes: count("How large a run's value, or one call's arguments or answer, may be. Default: 10000000."),
      network: strings("Hosts that code in a run may fetch from; a domain covers its subdomains."),
    })
    .describe("Limits for code that agents run."),
  llm: z.string().min(1).describe("The model used while generating servers, as provider/model."),
}

export const CONFIG_FILE = z.strictObject({
  $schema: text("The address of this schema, for editors.").optional(),
  mcpServers: z
    .record(z.string(), z.union(Object.values(ENTRIES)))
    .optional()
    .describe("The servers, by name, in the shape every MCP client uses."),
  surface: SECTIONS.surface.optional(),
  policy: z
    .strictObject({
      default: ACTION.optional().describe('What happens to a call that no rule is about. Default: "allow".'),
      rules: z.array(RULE).optional().describe("The first rule that fits a call decides."),
      askTimeoutMs: ASK_TIMEOUT,
    })
    .optional()
    .describe("Which calls are allowed, denied, or asked about."),
  sandbox: SECTIONS.sandbox.optional(),
  llm: SECTIONS.llm.optional(),
})
