/**
 * How fast types are generated and how many tokens they cost, against json-schema-to-typescript:
 * `node bench/typegen/run.mjs [dataDir]`. Each file of dataDir is `{ server, tools }`, a recorded `tools/list`.
 * Both make the types of parameters and declared results, with comments; the peer as it comes, and without its formatter.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { compile } from "json-schema-to-typescript"
import { assignNames } from "../../packages/toolyard/src/catalog/naming.ts"
import { declareServer } from "../../packages/toolyard/src/catalog/typegen/declare.ts"
import { signature, terse } from "../../packages/toolyard/src/catalog/typegen/signature.ts"

const ROUNDS = 3
/** Each contestant runs again and again for so long in a round, and at least once. */
const ROUND_MS = 500
const GOALS = { speed: 50, tokens: 0.6 }

const dataDir = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../shared/data/catalogs"))
if (!existsSync(dataDir)) {
  console.error(`No data at ${dataDir}: pass the folder that holds the catalogs.`)
  process.exit(66)
}

const servers = readServers()
// The peer changes the schemas that it is given, so each time it gets copies.
const copy = () => structuredClone(servers.flatMap(server => server.tools.map(tool => tool.definition)))
const contestants = {
  toolyard: { prepare: () => servers, generate: all => all.map(server => declareServer(server).types) },
  "json-schema-to-typescript": { prepare: copy, generate: all => compileAll(all, {}) },
  "json-schema-to-typescript, unformatted": { prepare: copy, generate: all => compileAll(all, { format: false }) },
}
const results = Object.fromEntries(Object.keys(contestants).map(name => [name, { times: [], tokens: 0 }]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, { prepare, generate }] of Object.entries(contestants)) {
    const result = results[name]
    for (const until = performance.now() + ROUND_MS; performance.now() < until; ) {
      const input = prepare()
      const start = performance.now()
      const texts = await generate(input)
      result.times.push(performance.now() - start)
      result.tokens ||= texts.reduce((sum, text) => sum + count(text), 0)
    }
  }
}

const tools = servers.flatMap(server => server.tools.map(tool => ({ tool, server })))
const { toolyard } = results
console.log(`${servers.length} servers, ${tools.length} tools, ${ROUNDS} rounds, interleaved\n`)
console.log("| | ms first / median / best | times toolyard's best | tokens | toolyard's share |")
console.log("|---|---|---|---|---|")
for (const [name, { times, tokens }] of Object.entries(results)) {
  const cells = [
    [times[0], median(times), best(times)].map(ms => ms.toFixed(0)).join(" / "),
    (best(times) / best(toolyard.times)).toFixed(1),
  ]
  console.log(`| ${name} | ${cells.join(" | ")} | ${tokens} | ${percent(toolyard.tokens / tokens)} |`)
}
const peer = results["json-schema-to-typescript"]
const speed = best(peer.times) / best(toolyard.times)
console.log(`\nspeed: ${speed.toFixed(1)} times the peer's (goal ${GOALS.speed}): ${verdict(speed >= GOALS.speed)}`)
const share = toolyard.tokens / peer.tokens
console.log(
  `tokens: ${percent(share)} of the peer's (goal ${percent(GOALS.tokens)}): ${verdict(share <= GOALS.tokens)}`,
)

const raw = tools.reduce((sum, { tool }) => sum + count(JSON.stringify(tool.definition)), 0)
const withTools = servers.reduce((sum, server) => sum + count(declareServer(server).tools), toolyard.tokens)
const alone = tools.reduce((sum, { tool, server }) => sum + count(declareServer({ ...server, tools: [tool] }).types), 0)
const lines = tools.map(({ tool, server }) => count(signature(tool, server)))
const short = tools.reduce((sum, { tool }) => sum + count(terse(tool)), 0)
console.log(`
tokens of the same tools as
  definitions (JSON)                   ${raw}
  full declarations and Tools          ${withTools}
  types, each tool by itself           ${alone}   (no description left to another tool)
  signatures                           ${lines.reduce((sum, tokens) => sum + tokens, 0)}   (longest ${Math.max(...lines)})
  names and parameters                 ${short}`)

async function compileAll(definitions, options) {
  const texts = []
  for (const { name, inputSchema, outputSchema } of definitions) {
    for (const [schema, suffix] of [
      [inputSchema, "Params"],
      [outputSchema, "Result"],
    ])
      if (schema) texts.push(await compile(schema, name + suffix, { bannerComment: "", ...options }))
  }
  return texts
}

function readServers() {
  const files = readdirSync(dataDir).filter(file => file.endsWith(".json"))
  const names = files.map(file => file.replace(/^.*_|\.json$/g, ""))
  const tsNames = assignNames(names)
  return files.map((file, i) => {
    const { tools } = JSON.parse(readFileSync(join(dataDir, file), "utf8"))
    const toolNames = assignNames(tools.map(tool => tool.name))
    return {
      server: names[i],
      tsName: tsNames[i],
      tools: tools.map((definition, j) => ({
        id: `${names[i]}__${definition.name}`,
        name: definition.name,
        tsName: toolNames[j],
        definition,
      })),
    }
  })
}

function count(text) {
  return encode(text, { allowedSpecial: "all" }).length
}

function best(times) {
  return Math.min(...times)
}

function median(times) {
  return times.toSorted((a, b) => a - b)[times.length >> 1]
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}

function verdict(reached) {
  return reached ? "reached" : "MISSED"
}
