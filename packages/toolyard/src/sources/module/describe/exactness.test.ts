import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import type { Case, CaseGroup } from "./corpus/case.ts"
import { COLLECTIONS } from "./corpus/collections.ts"
import { EXCEPTIONS, LIMITS } from "./corpus/limits.ts"
import { mutationsOf } from "./corpus/mutate.ts"
import { OBJECTS } from "./corpus/objects.ts"
import { PLAIN } from "./corpus/plain.ts"
import { UNIONS } from "./corpus/unions.ts"
import { describeModule } from "./describe.ts"
import { openModule } from "./project.ts"

const GROUPS: Record<string, CaseGroup> = { PLAIN, OBJECTS, COLLECTIONS, UNIONS, LIMITS }
interface Verdict {
  type: string
  value: unknown
  expected?: boolean
  compiler: boolean
  schema: boolean
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-exact-"))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the compiler says of every value, written as a literal for a constant of the type. */
function askCompiler(declarations: string, samples: readonly { type: string; value: unknown }[]): boolean[] {
  const lines = samples.map(({ type, value }, i) => `const v${i}: ${type} = ${JSON.stringify(value)}`)
  return inFolder(folder => {
    const file = join(folder, "samples.ts")
    const head = `${declarations}\nexport {}\n`
    writeFileSync(file, `${head}${lines.join("\n")}\n`)
    const { project, close } = openModule(file)
    try {
      const source = project.program.getSourceFile(file)
      const first = head.split("\n").length - 1
      const found = project.program.getSemanticDiagnostics(file)
      const refused = new Set(found.map(({ pos }) => (source?.getLineAndCharacterOfPosition(pos).line ?? 0) - first))
      return samples.map((_, i) => !refused.has(i))
    } finally {
      close()
    }
  })
}

function askSchemas(declarations: string, cases: readonly Case[]): ((value: unknown) => boolean)[] {
  const functions = cases.map(({ type }, i) => `export function f${i}(value: ${type}, more?: null) {}`)
  const described = inFolder(folder => {
    const file = join(folder, "module.ts")
    writeFileSync(file, `${declarations}\n${functions.join("\n")}\n`)
    return describeModule(file)
  })
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  return cases.map((_, i) => {
    const found = described.functions.find(one => one.export === `f${i}`)
    const validate = ajv.compile(found?.definition.inputSchema as JsonObject)
    return value => validate({ value })
  })
}

function judge({ declarations, cases }: CaseGroup): Verdict[] {
  const samples = cases.flatMap(({ type, json, yes, no, near: more = [] }, at) => {
    const near = [...more, ...[...yes, ...no].flatMap(mutationsOf)].map(value => ({ value }))
    const given = [...yes.map(value => ({ value, expected: true })), ...no.map(value => ({ value, expected: false }))]
    const unique = new Map([...near, ...given].map(sample => [JSON.stringify(sample.value), sample]))
    return [...unique.values()].map(sample => ({ ...sample, type, checked: json ?? type, at }))
  })
  const compiler = askCompiler(
    declarations,
    samples.map(({ checked, value }) => ({ type: checked, value })),
  )
  const schemas = askSchemas(declarations, cases)
  return samples.map(({ at, checked: _, ...sample }, i) => ({
    ...sample,
    compiler: compiler[i] ?? false,
    schema: schemas[at]?.(sample.value) ?? false,
  }))
}

const verdicts = Object.entries(GROUPS).map(([name, group]) => [name, judge(group)] as const)

function show({ type, value, compiler, schema }: Verdict): string {
  return `${type} | ${JSON.stringify(value)} | compiler ${compiler ? "takes" : "refuses"} it, schema ${schema ? "takes" : "refuses"} it`
}

describe("V10 the schema of a parameter accepts what TypeScript accepts, and nothing else", () => {
  it.each(verdicts)("%s: as both say of every value in the table", (_, found) => {
    const wrong = found.filter(({ expected, compiler, schema }) => {
      return expected !== undefined && (expected !== compiler || expected !== schema)
    })
    expect(wrong.map(show)).toEqual([])
  })

  it.each(verdicts)("%s: as both say of every value near those", (_, found) => {
    const differ = found.filter(({ compiler, schema }) => compiler !== schema)
    const unexplained = differ.filter(({ type, value }) => {
      return !EXCEPTIONS.some(exception => exception.types.test(type) && exception.value(value))
    })
    expect(unexplained.map(show)).toEqual([])
  })

  it.each(EXCEPTIONS)("differs still, since $why", ({ types, value }) => {
    const explained = verdicts.flatMap(([, found]) => found).filter(one => types.test(one.type) && value(one.value))
    expect(explained.some(({ compiler, schema }) => compiler !== schema)).toBe(true)
  })

  it("is checked on at least 150 types and thousands of values", () => {
    const all = verdicts.flatMap(([, found]) => found)
    expect(new Set(all.map(({ type }) => type)).size).toBeGreaterThanOrEqual(150)
    expect(all.length).toBeGreaterThan(5000)
  })
})
