/**
 * How well and how fast the tool search finds: `node bench/search/run.mjs [dataDir]`.
 * Each folder of dataDir holds tools.jsonl and queries.jsonl; its README.md says what they measure.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { createIndex } from "../../packages/toolyard/src/catalog/search/search-index.ts"

const dataDir = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../shared/data/search"))
if (!existsSync(dataDir)) {
  console.error(`No data at ${dataDir}: pass the folder that holds the query sets.`)
  process.exit(66)
}

const COLUMNS = ["R@1", "R@3", "R@5", "R@10", "hit@1", "hit@5", "nDCG@10"]
const plain = readPlainNumbers(join(dataDir, "README.md"))
const sets = readdirSync(dataDir, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && existsSync(join(dataDir, entry.name, "queries.jsonl")))
  .map(entry => entry.name)

console.log(`| set | | ${COLUMNS.join(" | ")} | none found | build ms | query ms mean / max |`)
console.log(`|---|---|${"---|".repeat(COLUMNS.length + 3)}`)
for (const set of sets) {
  const { figures, empty, buildMs, meanMs, maxMs } = measure(set)
  const cells = figures.map(figure => (figure * 100).toFixed(1))
  console.log(
    `| ${set} | toolyard | ${cells.join(" | ")} | ${empty} | ${buildMs.toFixed(0)} | ${meanMs.toFixed(2)} / ${maxMs.toFixed(2)} |`,
  )
  if (plain.has(set)) console.log(`| | plain | ${plain.get(set).join(" | ")} | | | |`)
}
measureLarge(4_076)
measureLarge(10_000)

function measure(set) {
  const docs = readLines(join(dataDir, set, "tools.jsonl"))
  const queries = readLines(join(dataDir, set, "queries.jsonl"))
  const index = createIndex(docs)
  const buildMs = time(() => index.search("", { limit: 1 }))
  const sums = COLUMNS.map(() => 0)
  let empty = 0
  let totalMs = 0
  let maxMs = 0
  for (const { text, relevant } of queries) {
    let ids = []
    const ms = time(() => {
      ids = index.search(text, { limit: 10 }).map(hit => hit.id)
    })
    totalMs += ms
    maxMs = Math.max(maxMs, ms)
    if (ids.length === 0) empty++
    toFigures(ids, new Set(relevant)).forEach((figure, i) => {
      sums[i] += figure
    })
  }
  return { figures: sums.map(sum => sum / queries.length), empty, buildMs, meanMs: totalMs / queries.length, maxMs }
}

/** In the order of COLUMNS. */
function toFigures(ids, relevant) {
  const found = k => ids.slice(0, k).filter(id => relevant.has(id)).length
  const recall = k => found(k) / relevant.size
  const hit = k => Number(found(k) > 0)
  const gain = flags => flags.reduce((sum, flag, i) => sum + (flag ? 1 / Math.log2(i + 2) : 0), 0)
  const ideal = gain(Array(Math.min(10, relevant.size)).fill(true))
  return [recall(1), recall(3), recall(5), recall(10), hit(1), hit(5), gain(ids.map(id => relevant.has(id))) / ideal]
}

/** Build, query and memory at a size: the tools of all sets, repeated under other server names until there are enough. */
function measureLarge(size) {
  const all = sets.flatMap(set => readLines(join(dataDir, set, "tools.jsonl")))
  const queries = sets.flatMap(set => readLines(join(dataDir, set, "queries.jsonl")).slice(0, 100))
  const docs = Array.from({ length: size }, (_, i) => {
    const doc = all[i % all.length]
    const server = `${doc.server}-${Math.floor(i / all.length)}`
    return { ...doc, server, id: `${server}__${doc.name}-${i}` }
  })
  globalThis.gc?.()
  const before = memory()
  const index = createIndex(docs)
  const buildMs = time(() => index.search("", { limit: 1 }))
  globalThis.gc?.()
  const megabytes = (memory() - before) / 1e6
  const times = queries.map(({ text }) => time(() => index.search(text, { limit: 10 }))).sort((a, b) => a - b)
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length
  const p99 = times[Math.floor(times.length * 0.99)]
  const kept = globalThis.gc ? `${megabytes.toFixed(1)} MB kept` : "run with --expose-gc for memory"
  console.log(
    `\n${size} tools: build ${buildMs.toFixed(0)} ms, query mean ${mean.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${kept}`,
  )
}

function memory() {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function time(action) {
  const start = performance.now()
  action()
  return performance.now() - start
}

function readLines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

/** The figures of the data's README, so that both stand side by side. */
function readPlainNumbers(file) {
  if (!existsSync(file)) return new Map()
  const rows = readFileSync(file, "utf8").matchAll(/^\| ([\w-]+) \|((?: [\d.]+ \|){7})$/gm)
  return new Map(
    Array.from(rows, ([, set, cells]) => [
      set,
      cells
        .split("|")
        .map(cell => cell.trim())
        .filter(Boolean),
    ]),
  )
}
