/** What is generated for real tools, and for whatever schemas there may be, is right: judged by the compiler. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { compile as compileOracle } from "json-schema-to-typescript"
import { beforeAll, describe, expect, it } from "vitest"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"
import { assignNames } from "../naming.ts"
import { compile } from "./compile.fixture.ts"
import { declareServer } from "./declare.ts"
import { renderTools } from "./render.ts"
import { createSampler } from "./samples.fixture.ts"
import type { ServerShape } from "./shape.ts"
import { signature } from "./signature.ts"

const CATALOGS = join(import.meta.dirname, "../../../../../../shared/data/catalogs")
const TURNS = 8

/** The tools where ours and the oracle's types are not mutually assignable, by the reason. */
const EXCEPTIONS = {
  "A schema without keywords takes any value; the oracle takes it for an object.": [
    "GithubMcpServerProjectsWriteParams",
    "McpServerHubspotSearchObjectsParams",
    "MongodbMcpServerCreateIndexParams",
    "PostmanMcpServerCreateCollectionParams",
    "PostmanMcpServerPutCollectionParams",
    "Ms365McpServerAddExcelTableRowsParams",
  ],
  "An empty enum is a mistake, and Ajv refuses it; the oracle lets no value pass, ours every string.": [
    "Mcp3NetlifyCodingRulesParams",
  ],
}

describe.skipIf(!existsSync(CATALOGS))("the types of every recorded catalog", () => {
  let servers: ServerShape[]
  let problems: Record<string, string[]>
  let counts: { samples: number; tools: number }
  let oracleNames: string[]

  beforeAll(async () => {
    servers = readServers()
    const samples = writeSamples(servers)
    const oracle = await writeOracle(servers)
    counts = samples
    oracleNames = oracle.names
    problems = await compile({
      "tools.ts": renderTools(servers),
      "plain.ts": renderTools(servers, { docs: false }),
      "signatures.ts": writeSignatures(servers),
      "samples.ts": samples.text,
      "oracle.ts": oracle.text,
    })
  }, 60_000)

  it("T5 compile, with comments and without", () => {
    expect(servers.flatMap(server => server.tools).length).toBeGreaterThan(900)
    expect(problems["tools.ts"]).toEqual([])
    expect(problems["plain.ts"]).toEqual([])
  })

  it("T5 take every value that the schema accepts", () => {
    expect(counts.tools).toBeGreaterThan(900)
    expect(counts.samples).toBeGreaterThan(2000)
    expect(problems["samples.ts"]).toEqual([])
  })

  it("T5 mean the same as those of json-schema-to-typescript, but for listed exceptions", () => {
    const different = problems["oracle.ts"]?.map(problem => problem.match(/"(\S+) theirs is narrower"/)?.[1] ?? problem)
    expect(oracleNames.length).toBeGreaterThan(900)
    expect(different?.toSorted()).toEqual(Object.values(EXCEPTIONS).flat().toSorted())
  })

  it("compile as signatures, each on one line of at most 400 tokens", () => {
    expect(problems["signatures.ts"]).toEqual([])
    for (const server of servers)
      for (const tool of server.tools) {
        const line = signature(tool, server)
        expect(line).not.toMatch(/[\n\r\u2028\u2029]/)
        expect(encode(line, { allowedSpecial: "all" }).length, line).toBeLessThanOrEqual(400)
      }
  })

  it("are the same text each time", () => {
    expect(renderTools(readServers())).toBe(renderTools(servers))
  })
})

function readServers(): ServerShape[] {
  const files = readdirSync(CATALOGS).filter(file => file.endsWith(".json"))
  const names = files.map(file => file.replace(/^.*_|\.json$/g, ""))
  const tsNames = assignNames(names)
  return files.map((file, position) => {
    const { tools } = JSON.parse(readFileSync(join(CATALOGS, file), "utf8")) as { tools: ToolDefinition[] }
    const toolNames = assignNames(tools.map(tool => tool.name))
    const server = names[position] as string
    return {
      server,
      tsName: tsNames[position] as string,
      tools: tools.map((definition, i) => ({
        id: `${server}__${definition.name}`,
        name: definition.name,
        tsName: toolNames[i] as string,
        definition,
      })),
    }
  })
}

interface Typed {
  name: string
  schema: unknown
}

/** The types of parameters and results, with the schemas that they are made from. */
function typesOf(server: ServerShape, taken: Set<string>): Typed[] {
  const { names } = declareServer(server, { taken })
  for (const name of names) taken.add(name)
  const roots = server.tools.flatMap(({ definition: { inputSchema, outputSchema } }) => [
    inputSchema,
    ...(isObject(outputSchema) ? [outputSchema] : []),
  ])
  return roots.map((schema, i) => ({ name: names[i] as string, schema }))
}

function allTypes(servers: ServerShape[]): Typed[] {
  const taken = new Set<string>()
  return servers.flatMap(server => typesOf(server, taken))
}

function writeSamples(servers: ServerShape[]): { text: string; samples: number; tools: number } {
  const lines = [`import type * as T from "./tools.ts"`]
  const samplesOf = createSampler()
  let tools = 0
  for (const { name, schema } of allTypes(servers)) {
    const samples = samplesOf(schema, TURNS)
    if (samples.length > 0) tools++
    for (const sample of samples) lines.push(`export const _${lines.length}: T.${name} = ${JSON.stringify(sample)}`)
  }
  return { text: lines.join("\n"), samples: lines.length - 1, tools }
}

function writeSignatures(servers: ServerShape[]): string {
  const lines = servers.flatMap(server => server.tools.map(tool => signature(tool, server)))
  return lines.map((line, i) => `export interface S${i} { ${line.replace(/^tools\.[^.]+\./u, "")} }`).join("\n")
}

async function writeOracle(servers: ServerShape[]): Promise<{ text: string; names: string[] }> {
  const lines = [
    `import type * as T from "./tools.ts"`,
    `type Same<A, B, N extends string> = [A] extends [B] ? ([B] extends [A] ? true : \`\${N} theirs is narrower\`) : \`\${N} ours is narrower\``,
  ]
  const names: string[] = []
  for (const { name, schema } of allTypes(servers).filter(type => type.name.includes("Params"))) {
    const text = await compileOracle(toOracle(schema), "Root", {
      bannerComment: "",
      format: false,
      // Ours have no index signature where the schema is silent.
      additionalProperties: false,
      // Nor do they count the elements of an array.
      ignoreMinAndMaxItems: true,
    })
    names.push(name)
    lines.push(`namespace N${lines.length} { ${text.replace(/\/\*\*[\s\S]*?\*\//g, "")} }`)
    lines.push(`export const _${lines.length}: Same<N${lines.length - 1}.Root, T.${name}, "${name}"> = true`)
  }
  return { text: lines.join("\n"), names }
}

/** Without an index signature where ours leave it out: at the parameters themselves. */
function toOracle(schema: unknown): JsonObject {
  const copy = structuredClone(schema) as JsonObject
  const { properties, additionalProperties } = copy
  if (isObject(properties) && Object.keys(properties).length > 0 && additionalProperties === true)
    delete copy.additionalProperties
  return copy
}
