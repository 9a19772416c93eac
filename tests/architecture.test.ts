/** Keeps the layers apart: which may import which, and what no file may do. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"

const SRC = resolve(import.meta.dirname, "../packages/toolyard/src")

/** What each layer may import besides itself. `surfaces` are told apart: none may import another. */
const ALLOWED: Record<string, string[]> = {
  model: [],
  config: ["model"],
  state: ["model"],
  policy: ["state", "model"],
  sandbox: ["model"],
  catalog: ["policy", "state", "model"],
  sources: ["sandbox", "state", "model"],
  code: ["catalog", "sandbox", "policy", "state", "model"],
  "surfaces/mcp": ["code", "catalog", "policy", "state", "model"],
  "surfaces/http": ["code", "catalog", "policy", "state", "model"],
  "surfaces/cli": ["code", "catalog", "policy", "state", "model", "config"],
  "surfaces/library": ["code", "catalog", "policy", "state", "model"],
  app: [
    "config",
    "state",
    "policy",
    "catalog",
    "sources",
    "sandbox",
    "code",
    "model",
    "surfaces/mcp",
    "surfaces/http",
    "surfaces/cli",
    "surfaces/library",
  ],
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(file => /\.tsx?$/.test(file))

function layerOf(file: string): string {
  const [first = "", second = ""] = file.split("/")
  return first === "surfaces" ? `${first}/${second}` : first
}

/** Static, type-only and dynamic imports alike. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8")
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(match => match[1] as string)
}

describe("architecture", () => {
  it("has only layers that the design names", () => {
    expect([...new Set(files.map(layerOf))].filter(layer => !Object.hasOwn(ALLOWED, layer))).toEqual([])
  })

  it("imports in one direction", () => {
    const wrong = files.flatMap(file => {
      const layer = layerOf(file)
      return (
        importsOf(file)
          .filter(target => target.startsWith("."))
          .map(target => relative(SRC, resolve(SRC, dirname(file), target)))
          // What is outside is for tests: fixtures and the like.
          .filter(target => !(target.startsWith("..") && file.endsWith(".test.ts")))
          .filter(target => layerOf(target) !== layer && !ALLOWED[layer]?.includes(layerOf(target)))
          .map(target => `${file} imports ${target}`)
      )
    })
    expect(wrong).toEqual([])
  })

  it("names the extension in every relative import", () => {
    // Tests hold programs as text, which may be written in other ways.
    const ours = files.filter(file => !file.endsWith(".test.ts"))
    const wrong = ours.flatMap(file =>
      importsOf(file)
        .filter(target => target.startsWith(".") && !/\.(tsx?|json)$/.test(target))
        .map(target => `${file}: ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it("never evaluates code it did not write", () => {
    // Contract suites are tests too; the sandbox's hold scripts that try to.
    const source = files.filter(file => !/\.(test|contract)\.ts$/.test(file))
    const wrong = source.filter(file =>
      /\beval\s*\(|new Function\s*\(|["']node:vm["']/.test(readFileSync(join(SRC, file), "utf8")),
    )
    expect(wrong).toEqual([])
  })

  it("keeps the model free of input and output", () => {
    const wrong = files
      .filter(file => layerOf(file) === "model" && !file.endsWith(".test.ts"))
      .flatMap(file =>
        importsOf(file)
          .filter(target => target.startsWith("node:"))
          .map(target => `${file}: ${target}`),
      )
    expect(wrong).toEqual([])
  })
})
