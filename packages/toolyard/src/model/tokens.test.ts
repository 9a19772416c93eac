import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { estimateTokens } from "./tokens.ts"

const ROOT = join(import.meta.dirname, "../../../..")
const CATALOGS = join(ROOT, "../shared/data/catalogs")
const DOCS = join(ROOT, "../shared/data/api-docs")
const MISSING = existsSync(CATALOGS) ? undefined : "the recorded catalogs are not there"
/** Enough of each to judge by, little enough to count exactly. */
const MAX_CHARS = 60_000

const textsIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder).map(name => [name, readFileSync(join(folder, name), "utf8").slice(0, MAX_CHARS)] as const)
    : []
const off = (text: string) => estimateTokens(text) / countTokens(text) - 1

describe("the estimate of tokens", () => {
  it("is within 15 % on every recorded catalog, printed either way", context => {
    context.skip(MISSING !== undefined, MISSING)
    for (const [name, text] of textsIn(CATALOGS).filter(([name]) => name.endsWith(".json"))) {
      expect(Math.abs(off(text)), name).toBeLessThan(0.15)
      const tools: unknown = JSON.parse(readFileSync(join(CATALOGS, name), "utf8"))
      for (const indent of [0, 2]) {
        expect(Math.abs(off(JSON.stringify(tools, null, indent).slice(0, MAX_CHARS))), name).toBeLessThan(0.15)
      }
    }
  })

  it("is within 15 % on documentation", context => {
    context.skip(MISSING !== undefined, MISSING)
    for (const [name, text] of textsIn(DOCS)) expect(Math.abs(off(text)), name).toBeLessThan(0.15)
  })

  it("is within 15 % on this project's own code, its readme included", () => {
    const sources = readdirSync(import.meta.dirname).filter(name => /^[a-z-]+\.ts$/.test(name))
    const code = sources.map(name => readFileSync(join(import.meta.dirname, name), "utf8"))
    for (const text of [code.join("\n"), readFileSync(join(ROOT, "README.md"), "utf8")]) {
      expect(Math.abs(off(text))).toBeLessThan(0.15)
    }
  })

  it("is not led far astray by what is no language", () => {
    const base64 = Buffer.from(Array.from({ length: 6000 }, (_, i) => (i * i * 31 + i * 7) % 256)).toString("base64")
    const ids = Array.from({ length: 200 }, (_, i) => `${(i * 2654435761) % 2 ** 32}-${i.toString(16)}f${i * 7}`).join(
      ",",
    )
    for (const text of [
      base64,
      ids,
      "これは普通の日本語の文章です。".repeat(50),
      "Это обычный русский текст. ".repeat(50),
    ]) {
      expect(Math.abs(off(text)), text.slice(0, 20)).toBeLessThan(0.5)
    }
  })

  it("is nothing for nothing", () => {
    expect(estimateTokens("")).toBe(0)
    expect(estimateTokens("x")).toBe(1)
  })
})
