/** The package's declarations as another project sees them, and the examples in the guide, which must compile too. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const ROOT = resolve(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8")

const CONSUMER = `
import {
  type AnthropicToolResult, aiSdkTools, anthropicTools, type ApiServer, type Approval, type AskHandlers,
  type CallOptions, type ConfigInput, type ErrorCode, type FoundTool, type JsonObject, type LibraryTool,
  type LibraryYard, openAiTools, openYard, type OpenYardOptions, type RunReport, textOf, type ToolContext, ToolError,
  type ToolOutput, type ToolsOptions, YardError,
} from "toolyard"

const config: ConfigInput = {
  mcpServers: { a: { command: "x", args: ["y"] }, b: { url: "http://127.0.0.1/" }, c: { type: "module", file: "c.ts" } },
  policy: { default: "ask", rules: [{ match: ["a__*"], do: "allow" }] },
}
// @ts-expect-error a server needs something to start or reach
const wrong: ConfigInput = { mcpServers: { a: { args: [] } } }
// @ts-expect-error there is no such option
const misspelt: OpenYardOptions = { confg: "toolyard.json" }
const handlers: AskHandlers = { elicitation: async ({ message }) => ({ action: "accept", content: { message } }) }

const yard: LibraryYard = await openYard({ config, onAsk: handlers, only: ["a"], watch: true, readOnly: "strict" })
const chosen: ToolsOptions = { servers: ["a"], include: "a__*", exclude: ["a__b"], maxTokens: 100 }
const [tool]: LibraryTool[] = yard.tools(chosen)
const output: ToolOutput | undefined = await tool?.execute({ a: 1 })
const options: CallOptions = { timeoutMs: 1, onProgress: ({ progress }) => void progress }
const sum: number = (await yard.call<{ sum: number }>("a__add", {}, options)).sum
const unknownValue: unknown = await yard.call("a__add")
const raw: JsonObject = await yard.callRaw("a__add")
const found: FoundTool[] = yard.search("add", { limit: 1 })
const report: RunReport = await yard.run("1 + 1", { input: [1], background: true })
const again: RunReport = await yard.resume(report.runId, { decision: "approve" })
const approvals: Approval[] = await yard.approvals()
const servers: ApiServer[] = yard.servers()
const off: () => void = yard.on("health", ({ server, state }) => console.log(server, state))
// @ts-expect-error there is no such event
yard.on("helth", () => {})
const answer: AnthropicToolResult = await anthropicTools(yard).handle({ type: "tool_use", id: "1", name: "x", input: {} })
const content: string = (await openAiTools(yard).handle({ id: "1", type: "function" })).content
const strict: false | undefined = openAiTools(yard, { api: "responses" })[0]?.strict
const code: ErrorCode = new YardError("timeout", "late").code
const ownTool = (path: string, { signal }: ToolContext): Promise<Response> => fetch(path, { signal })
const failure = (error: unknown): unknown => (error instanceof ToolError ? error.data : undefined)
await yard.close()
await using other = await openYard()
export {
  aiSdkTools, again, answer, approvals, code, content, failure, found, misspelt, off, other, output, ownTool, raw, report, servers,
  strict, sum, textOf, unknownValue, wrong,
}
`

let folder: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-types-")))
  const link = (name: string, target = `node_modules/${name}`): void => {
    const place = join(folder, "node_modules", name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(ROOT, target), place)
  }
  for (const name of ["@types/node", "@anthropic-ai/sdk", "@ai-sdk/anthropic", "ai", "openai"]) link(name)
  link("toolyard", "packages/toolyard")
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the compiler has to say about these files of a project of their own. */
async function compile(files: Record<string, string>, compilerOptions: object): Promise<string> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const strict = { strict: true, module: "nodenext", target: "es2024", noEmit: true, types: ["node"] }
  const project = { compilerOptions: { ...strict, ...compilerOptions }, files: Object.keys(files) }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project))
  const args = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]
  const ran = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error)
  return ran.stdout
}

// A compiler that shares its cores with everything else takes its time.
describe("the declarations of the package", { timeout: 120_000 }, () => {
  it("C1 compile in a strict project, every file of them", async () => {
    expect(await compile({ "consumer.ts": CONSUMER }, { skipLibCheck: false })).toBe("")
  })

  it("notice a mistake, so that the other checks can fail", async () => {
    const told = await compile(
      { "mistake.ts": 'import { openYard } from "toolyard"\nopenYard(1)\n' },
      { skipLibCheck: true },
    )
    expect(told).toContain("mistake.ts(2,10)")
  })

  it("C1 fit those of the SDKs, in every example of the guide and in examples/agent-loop", async () => {
    const blocks = [...read("docs/guide/library.md").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code)
    expect(blocks.length).toBeGreaterThan(6)
    const files = Object.fromEntries(blocks.map((code, index) => [`block-${index + 1}.ts`, code]))
    files["agent.ts"] = read("examples/agent-loop/agent.ts")
    expect(await compile(files, { skipLibCheck: true })).toBe("")
  })
})
