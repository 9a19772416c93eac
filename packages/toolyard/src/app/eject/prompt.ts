/** A generated server as a stand-alone one: its handlers as they are, and a `fetch` that reaches no other hosts. */
import { join } from "node:path"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { WRAPPED_SCHEMA } from "../../model/mcp.ts"
import type { Offer } from "../../model/source.ts"
import { serveStored } from "../../sources/prompt/serve.ts"
import { folderOf, readStored, type Stored } from "../../sources/prompt/store/store.ts"
import type { Sample } from "../../sources/prompt/verify/verify-tool.ts"
import { toOffered } from "./definitions.ts"
import type { EjectInput, Ejection } from "./ejection.ts"
import { toIdentifier, toLiteral } from "./literal.ts"
import { readTemplates } from "./template.ts"

/** What such a handler gives may be another thing each time. */
const CHANGING = /\bMath\.random\b|\bDate\b|\bcrypto\b|\bperformance\b/

export async function ejectStored(input: EjectInput): Promise<Ejection> {
  const { root, server } = input
  const stored = await readStored(folderOf(join(root, ".toolyard", "generated"), server.name), () => {})
  if (!stored)
    throw new YardError("usage", `${server.name} has not been generated yet`, {
      hint: "Start it once (`toolyard tools` does), and eject it then.",
    })
  const { description } = stored.generated
  if (!description) return ejectPrompt(input, stored)
  if (description.kind === "graphql")
    throw new YardError("usage", `${server.name} is served from the GraphQL schema at ${description.url}`, {
      hint: "Write it as a server of type graphql, and eject that.",
    })
  const [{ ejectOpenApi }, { toOperations }] = await Promise.all([import("./openapi.ts"), import("./read-api.ts")])
  return ejectOpenApi(input, await toOperations(input, description.url, Buffer.from(description.text)))
}

export async function ejectPrompt({ server, written }: EjectInput, stored: Stored): Promise<Ejection> {
  const { handlers, whitelist, examples } = stored.generated
  const { allow = [] } = written.entry as { allow?: string[] }
  const { tools, instructions, notes } = offerOf(stored, server.name)
  const offered = toOffered(server, tools)
  const marked = new Map(tools.map(tool => [tool.name, tool]))
  const files = await readTemplates(["src/guarded-fetch.ts", "src/result.ts"])
  const rows: string[] = []
  const imports: string[] = []
  const samples: JsonObject[] = []
  for (const { sourceName, definition } of offered) {
    const code = handlers.get(sourceName) as string
    const plain = `${toIdentifier(sourceName)}Handler`
    const name = imports.some(line => line.startsWith(`import ${plain} `)) ? `${plain}${imports.length}` : plain
    const stem = sourceName === "index" ? "index-tool" : sourceName
    const schema = marked.get(sourceName)?.outputSchema
    const isWrapped = isObject(schema) && schema[WRAPPED_SCHEMA] === true
    const promised = { ...(schema !== undefined && { hasSchema: true }), ...(isWrapped && { wrapped: true }) }
    files.set(`src/handlers/${stem}.ts`, code)
    imports.push(`import ${name} from "./${stem}.ts"\n`)
    rows.push(`  [${JSON.stringify(definition.name)}, { run: ${name}, promised: ${toLiteral(promised)} }],\n`)
    const own = Object.hasOwn(examples, sourceName) ? (examples[sourceName] ?? []) : []
    samples.push(...own.flatMap(sample => toSample(definition.name, sample, CHANGING.test(code))))
  }
  const hosts = { named: [...allow, ...whitelist.prompt], public: whitelist.pages }
  files.set("src/hosts.ts", hostsText(hosts))
  files.set("src/handlers/index.ts", handlersText(imports.join(""), rows.join("")))
  files.set("test/handlers.test.ts", TEST)
  files.set("test/samples.json", `${JSON.stringify(samples, undefined, 2)}\n`)
  return {
    tools: offered.map(({ definition }) => definition),
    files,
    dependencies: {},
    variables: [],
    notes: [
      "Every tool is one file in `src/handlers/`: a function of its arguments and of `fetch`.",
      "`src/hosts.ts` lists the hosts that they may reach.",
      "The handlers were written by a language model and run with all that this process may do: read them.",
    ],
    warnings: notes,
    isLoose: true,
    ...(instructions !== undefined && { instructions }),
  }
}

/** What is served of it; nothing is called here. */
function offerOf(stored: Stored, name: string): Offer & { notes: string[] } {
  const never = (): never => {
    throw new YardError("internal", "nothing is called while a server is ejected")
  }
  const fetch = { fetch: never, close: async () => {} }
  const signal = new AbortController().signal
  const { offer, notes } = serveStored(stored, { name, sandbox: never, fetch, allow: [], log() {}, signal })
  return { ...offer, notes }
}

/** One case as it was tried when the handler was generated: what was sent, what was answered, and what came of it. */
function toSample(tool: string, { case: name, args, requests, outcome }: Sample, isChanging: boolean): JsonObject[] {
  // An upstream that never answers makes a test that never ends.
  if (requests.some(({ response }) => "error" in response)) return []
  const exchanges = requests.map(({ method, url, body, response }) => ({
    request: { method, url, ...(body !== undefined && { body }) },
    response,
  }))
  const expected = "error" in outcome ? { fails: true } : isChanging ? {} : { value: outcome.value }
  return [{ tool, case: name, arguments: args, exchanges, ...expected }]
}

function hostsText(hosts: JsonObject): string {
  return `/** The hosts that the handlers may reach; a domain covers its subdomains. */
import type { Hosts } from "./guarded-fetch.ts"

export const hosts: Hosts = ${toLiteral(hosts)}
`
}

function handlersText(imports: string, rows: string): string {
  return `/** Every tool is a handler of its own: a function of its arguments and of \`fetch\`. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server"
import { createFetch } from "../guarded-fetch.ts"
import { hosts } from "../hosts.ts"
import { type Promised, toResult } from "../result.ts"
${imports}
export interface Handler {
  run(args: any, fetch: typeof globalThis.fetch): unknown
  promised: Promised
}

export const handlers = new Map<string, Handler>([
${rows}])

export async function callTool(
  name: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const handler = handlers.get(name)
  if (!handler) throw new Error(\`there is no handler for \${name}\`)
  const value = await handler.run(args, createFetch(hosts, context.mcpReq.signal))
  if (value === undefined) throw new Error(\`\${name} gave no value\`)
  return toResult(value, handler.promised)
}
`
}

const TEST = `/** Calls every handler with the arguments of samples.json, and a \`fetch\` that answers as is written there. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { handlers } from "../src/handlers/index.ts"

const samples = JSON.parse(readFileSync(new URL("./samples.json", import.meta.url), "utf8"))

for (const sample of samples) {
  test(\`\${sample.tool}: \${sample.case}\`, async () => {
    const sent: unknown[] = []
    const fake: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      const body = await request.text()
      const at = sent.push({ method: request.method, url: request.url, ...(body !== "" && { body }) }) - 1
      const { status, body: answer } = sample.exchanges[at]?.response ?? { status: 404, body: "" }
      const type = typeof answer === "string" ? "text/html" : "application/json"
      const text = typeof answer === "string" ? answer : JSON.stringify(answer)
      return new Response(text, { status, headers: { "content-type": type } })
    }
    const run = async () => handlers.get(sample.tool)?.run(structuredClone(sample.arguments), fake)
    if (sample.fails) await assert.rejects(run)
    else {
      const value = await run()
      if ("value" in sample) assert.deepEqual(JSON.parse(JSON.stringify(value)), sample.value)
    }
    assert.deepEqual(sent, sample.exchanges.map(({ request }: { request: unknown }) => request))
  })
}
`
