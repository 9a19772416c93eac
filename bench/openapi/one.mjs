/** One converter on one file, in a process of its own: prints what came of it as JSON. `node one.mjs NAME FILE` */
import { readFileSync } from "node:fs"
import { CONVERTERS } from "./converters.mjs"

const [name, file] = process.argv.slice(2)
// Some print as they go.
console.log = console.info = console.warn = () => {}

const prepare = CONVERTERS[name]
const convert = await prepare(file)
const before = process.cpuUsage()
const start = performance.now()
const tools = await convert()
const ms = performance.now() - start
// With that of the collector's threads; where others use the machine too, it says more than the clock.
const { user, system } = process.cpuUsage(before)
const megabytes = process.resourceUsage().maxRSS / 1024

// Only now: what judges the tools must not count as memory of what made them.
const { Ajv2020 } = await import("ajv/dist/2020.js")
const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
const { offeredNames, plain, rawOperations } = await import("./raw.mjs")
const operations = rawOperations(readFileSync(file, "utf8"))
const matched = match(tools, operations)
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false })
let lost = 0
let bad = 0
let told = 0
let whole = 0
for (const { definition } of tools) {
  const { name, description, inputSchema } = definition
  told += tokens({ name, description, inputSchema })
  whole += tokens(definition)
  if ([inputSchema, definition.outputSchema].some(schema => schema && !compiles(schema))) bad++
}
for (const [operation, tool] of matched) {
  const offered = offeredNames(tool.definition.inputSchema)
  lost += operation.inputs.filter(input => !offered.has(plain(input))).length
}
const result = {
  ms,
  cpuMs: (user + system) / 1000,
  megabytes,
  operations: operations.length,
  tools: tools.length,
  unmatched: operations.length - matched.length,
  lost,
  bad,
  told,
  whole,
}
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))

/** By method and path where the converter tells them, by its name, or by place where there are as many as operations. */
function match(tools, operations) {
  const byPath = new Map(tools.map(tool => [`${tool.method} ${tool.path}`, tool]))
  const byName = new Map(tools.map(tool => [plain(tool.definition.name), tool]))
  return operations.flatMap((operation, index) => {
    const tool =
      byPath.get(`${operation.method} ${operation.path}`) ??
      byName.get(plain(operation.id ?? "")) ??
      (tools.length === operations.length ? tools[index] : undefined)
    return tool ? [[operation, tool]] : []
  })
}

function tokens(value) {
  return countTokens(JSON.stringify(value), { disallowedSpecial: new Set() })
}

function compiles(schema) {
  try {
    ajv.compile(schema)
    return true
  } catch {
    return false
  } finally {
    try {
      ajv.removeSchema(schema)
    } catch {
      // One that has no `$id` it could be found by.
    }
  }
}
