/**
 * How well and how fast the tool search finds, beside minisearch with its defaults: `npm run bench search [dataDir]`.
 * Each folder of dataDir holds tools.jsonl and queries.jsonl; its README.md says what they measure.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import MiniSearch from "minisearch"
import { createIndex } from "../../packages/toolyard/src/catalog/search/search-index.ts"

const dataDir = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../shared/data/search"))
if (!existsSync(dataDir)) {
  console.error(`No data at ${dataDir}: pass the folder that holds the query sets.`)
  process.exit(66)
}

const COLUMNS = ["R@1", "R@3", "R@5", "R@10", "hit@1", "hit@5", "nDCG@10"]
/** R@5 and nDCG@10 in whole percent, of a fielded BM25 with textbook values and some 30 groups of synonyms. */
const GOALS = {
  "livemcp-task": [36, 35],
  "livemcp-step": [71, 64],
  "bfcl-live": [86, 75],
  "metatool-single": [64, 56],
  "metatool-multi": [64, 58],
}
const LARGE = 4_076
const QUERY_MS = 5

/** Each takes the tools and gives a function from a query to the ids of the best ten. */
const ENGINES = {
  toolyard(docs) {
    const index = createIndex(docs)
    index.search("", { limit: 1 })
    return text => index.search(text, { limit: 10 }).map(({ id }) => id)
  },
  minisearch(docs) {
    const index = new MiniSearch({ fields: ["name", "server", "description"] })
    index.addAll(docs)
    return text =>
      index
        .search(text)
        .slice(0, 10)
        .map(({ id }) => id)
  },
}

const plain = readPlainNumbers(join(dataDir, "README.md"))
const sets = readdirSync(dataDir, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && existsSync(join(dataDir, entry.name, "queries.jsonl")))
  .map(entry => entry.name)
const verdicts = []

console.log(`| set | | ${COLUMNS.join(" | ")} | none found | build ms | query ms mean / max |`)
console.log(`|---|---|${"---|".repeat(COLUMNS.length + 3)}`)
for (const set of sets) {
  for (const engine of Object.keys(ENGINES)) {
    const { figures, empty, buildMs, meanMs, maxMs } = measure(set, engine)
    const cells = figures.map(figure => (figure * 100).toFixed(1))
    const times = `${empty} | ${buildMs.toFixed(0)} | ${meanMs.toFixed(2)} / ${maxMs.toFixed(2)}`
    console.log(`| ${set} | ${engine} | ${cells.join(" | ")} | ${times} |`)
    if (engine === "toolyard") judgeSet(set, figures)
  }
  if (plain.has(set)) console.log(`| ${set} | plain BM25 | ${plain.get(set).join(" | ")} | | | |`)
}
console.log()
for (const engine of Object.keys(ENGINES)) measureLarge(LARGE, engine)
measureLarge(10_000, "toolyard")

console.log("\nGoals")
for (const { text, reached } of verdicts) console.log(`${reached ? "PASS" : "FAIL"}  ${text}`)
process.exitCode = verdicts.every(({ reached }) => reached) ? 0 : 1

function judgeSet(set, figures) {
  if (!GOALS[set]) return
  for (const [at, column] of ["R@5", "nDCG@10"].entries()) {
    // The goals are whole percents, so ours are rounded as well.
    const ours = Math.round(figures[COLUMNS.indexOf(column)] * 100)
    verdicts.push({ text: `${set}: ${column} ${ours}, want ≥ ${GOALS[set][at]}`, reached: ours >= GOALS[set][at] })
  }
}

function measure(set, engine) {
  const docs = readLines(join(dataDir, set, "tools.jsonl"))
  const queries = readLines(join(dataDir, set, "queries.jsonl"))
  let search
  const buildMs = time(() => {
    search = ENGINES[engine](docs)
  })
  const sums = COLUMNS.map(() => 0)
  let empty = 0
  let totalMs = 0
  let maxMs = 0
  for (const { text, relevant } of queries) {
    let ids = []
    const ms = time(() => {
      ids = search(text)
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
function measureLarge(size, engine) {
  const all = sets.flatMap(set => readLines(join(dataDir, set, "tools.jsonl")))
  const queries = sets.flatMap(set => readLines(join(dataDir, set, "queries.jsonl")).slice(0, 100))
  const docs = Array.from({ length: size }, (_, i) => {
    const doc = all[i % all.length]
    const server = `${doc.server}-${Math.floor(i / all.length)}`
    return { ...doc, server, id: `${server}__${doc.name}-${i}` }
  })
  globalThis.gc?.()
  const before = memory()
  let search
  const buildMs = time(() => {
    search = ENGINES[engine](docs)
  })
  globalThis.gc?.()
  const megabytes = (memory() - before) / 1e6
  const times = queries.map(({ text }) => time(() => search(text))).sort((a, b) => a - b)
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length
  const p99 = times[Math.floor(times.length * 0.99)]
  const kept = globalThis.gc ? `${megabytes.toFixed(1)} MB kept` : "run with --expose-gc for memory"
  const queryMs = `query mean ${mean.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`
  console.log(`${size} tools, ${engine}: build ${buildMs.toFixed(0)} ms, ${queryMs}, ${kept}`)
  if (engine === "toolyard" && size === LARGE) {
    const text = `${size} tools: query p99 ${p99.toFixed(2)} ms, want < ${QUERY_MS}`
    verdicts.push({ text, reached: p99 < QUERY_MS })
  }
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

/** The figures of the data's README, so that all stand side by side. */
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
