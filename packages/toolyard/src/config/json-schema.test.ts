import { readFileSync } from "node:fs"
import { Ajv } from "ajv"
import { describe, expect, it } from "vitest"
import { isObject } from "../model/json.ts"
import { toJsonSchemaText } from "./json-schema.ts"

const committed = new URL("../../schema/toolyard.schema.json", import.meta.url)

describe("schema/toolyard.schema.json", () => {
  it("is up to date: run writeJsonSchema() when this fails", () => {
    expect(readFileSync(committed, "utf8")).toBe(toJsonSchemaText())
  })

  it("describes every key", () => {
    const bare: string[] = []
    const walk = (part: unknown, path: string): void => {
      if (Array.isArray(part)) part.forEach((item, index) => void walk(item, `${path}/${index}`))
      if (!isObject(part)) return
      for (const [key, value] of Object.entries(isObject(part.properties) ? part.properties : {}))
        if (!isObject(value) || typeof value.description !== "string") bare.push(`${path}/${key}`)
      for (const [key, value] of Object.entries(part)) walk(value, `${path}/${key}`)
    }
    walk(JSON.parse(toJsonSchemaText()), "")
    expect(bare).toEqual([])
  })

  it("accepts what loads and refuses what doesn't", () => {
    const validate = new Ajv({ strict: false }).compile(JSON.parse(toJsonSchemaText()))
    const rules = [{ match: "github__delete_*", do: "ask" }]
    expect(validate({ mcpServers: { a: { command: "x" }, b: { url: "http://x" } }, policy: { rules } })).toBe(true)
    expect(validate({ mcpServers: { a: { command: 1 } } })).toBe(false)
    expect(validate({ mcpServer: {} })).toBe(false)
  })
})
