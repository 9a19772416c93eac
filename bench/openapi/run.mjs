/**
 * How well descriptions become tools, ours and the converters on npm in one run:
 * `npm run bench openapi -- [dataDir] [--only CONVERTER] [--file FILE] [--rounds N]`.
 * Each converter works on each file in a process of its own; times are the best of the rounds and memory the
 * worst, from the file to the tools, without starting the process.
 */
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { CONVERTERS } from "./converters.mjs"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, file: { type: "string" }, rounds: { type: "string", default: "1" } },
})
const TIMEOUT_MS = 180_000
const GOALS = { tokens: 250, ms: 1500, megabytes: 300 }
const LARGEST = "github-rest.json"

const dataDir = resolve(positionals[0] ?? join(import.meta.dirname, "../../../shared/data/openapi"))
if (!existsSync(dataDir)) {
  console.error(`No data at ${dataDir}: pass the folder that holds the descriptions.`)
  process.exit(66)
}
const files = readdirSync(dataDir).filter(file => /\.(json|ya?ml)$/.test(file) && file.includes(values.file ?? ""))
const names = Object.keys(CONVERTERS).filter(name => values.only === undefined || name === values.only)

const results = new Map(names.map(name => [name, new Map()]))
const missing = new Set()
for (let round = 0; round < Number(values.rounds); round++) {
  for (const file of files) {
    for (const name of names) {
      if (missing.has(name)) continue
      const result = await runOne(name, join(dataDir, file))
      if (result.missing) missing.add(name)
      const before = results.get(name).get(file)
      for (const key of ["ms", "cpuMs"]) {
        if (before?.[key] !== undefined && result[key] !== undefined) result[key] = Math.min(before[key], result[key])
      }
      if (before?.megabytes > result.megabytes) result.megabytes = before.megabytes
      results.get(name).set(file, result)
    }
  }
}
printFiles("toolyard")
printAll()
printGoals()

/** What it printed, or why there is nothing. */
function runOne(name, file) {
  return new Promise(done => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "one.mjs"), name, file])
    let out = ""
    let error = ""
    child.stdout.on("data", chunk => {
      out += chunk
    })
    child.stderr.on("data", chunk => {
      error = (error + chunk).slice(-4000)
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code === 0) return done(JSON.parse(out.trim().split("\n").at(-1)))
      if (/ERR_MODULE_NOT_FOUND/.test(error) && error.includes(`'${name}'`)) return done({ missing: true })
      const reason = /^\w*Error.*$/m.exec(error)?.[0] ?? error.trim().split("\n").at(-1) ?? ""
      done({ failed: signal ? `ended after ${TIMEOUT_MS / 1000} s` : reason.slice(0, 100) })
    })
  })
}

function printFiles(name) {
  const mine = results.get(name)
  if (!mine) return
  console.log(
    `${name}\n\n| file | operations | tools | ms (CPU) | MB | tokens a tool (as told / whole) | inputs lost | bad schemas |`,
  )
  console.log("|---|---|---|---|---|---|---|---|")
  for (const [file, one] of mine) {
    if (one.failed) console.log(`| ${file} | | failed: ${one.failed} |`)
    else {
      const tokens = `${(one.told / one.tools).toFixed(0)} / ${(one.whole / one.tools).toFixed(0)}`
      const cells = [
        file,
        one.operations,
        one.tools,
        `${one.ms.toFixed(0)} (${one.cpuMs.toFixed(0)})`,
        one.megabytes.toFixed(0),
        tokens,
        one.lost,
        one.bad,
      ]
      console.log(`| ${cells.join(" | ")} |`)
    }
  }
}

function printAll() {
  console.log(
    "\n| converter | files | operations as tools | ms in all | tokens a tool (as told / whole) | inputs lost | bad schemas |",
  )
  console.log("|---|---|---|---|---|---|---|")
  for (const name of names) {
    if (missing.has(name)) {
      console.log(`| ${name} | not installed |`)
      continue
    }
    const all = total(name)
    const tokens = `${(all.told / all.tools).toFixed(0)} / ${(all.whole / all.tools).toFixed(0)}`
    const cells = [name, `${all.files}/${files.length}`, all.tools, all.ms.toFixed(0), tokens, all.lost, all.bad]
    console.log(`| ${cells.join(" | ")} |`)
    for (const [file, { failed }] of results.get(name)) if (failed) console.log(`|   ${file}: ${failed} |`)
  }
  console.log("\nLost: names of parameters and of the first level of a body that no schema of the tool has.")
}

function total(name) {
  const sum = { files: 0, operations: 0, tools: 0, ms: 0, told: 0, whole: 0, lost: 0, bad: 0 }
  for (const one of results.get(name).values()) {
    if (one.failed) continue
    sum.files++
    for (const key of Object.keys(sum)) if (key !== "files") sum[key] += one[key]
  }
  return sum
}

function printGoals() {
  if (!results.has("toolyard")) return
  const all = total("toolyard")
  const largest = results.get("toolyard").get(LARGEST)
  const goals = [
    ["every file converts", all.files === files.length],
    ["every operation is a tool", all.tools === all.operations],
    ["no input lost", all.lost === 0],
    ["no bad schema", all.bad === 0],
    [`at most ${GOALS.tokens} tokens a tool, all told`, all.whole / all.tools <= GOALS.tokens],
    [`${LARGEST} in ${GOALS.ms} ms`, largest === undefined || largest.ms <= GOALS.ms],
    [`${LARGEST} in ${GOALS.megabytes} MB`, largest === undefined || largest.megabytes <= GOALS.megabytes],
  ]
  console.log("")
  for (const [goal, isMet] of goals) console.log(`${isMet ? "met " : "MISSED"} ${goal}`)
  if (goals.some(([, isMet]) => !isMet)) process.exitCode = 1
}
