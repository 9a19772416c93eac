import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ToolDefinition } from "../model/mcp.ts"
import { signature } from "./signature.ts"

const ROOT = join(import.meta.dirname, "../../../..")
const CATALOGS = join(ROOT, "../shared/data/catalogs")
const SHAPE =
  /^tools\.[\p{ID_Start}$_][\p{ID_Continue}$]*\.[\p{ID_Start}$_][\p{ID_Continue}$]*\((.*)\): (Promise<.*>)$/u

const ofInput = (inputSchema: unknown) => signature("yard", { name: "do_it", inputSchema })
const ofProperty = (schema: unknown) =>
  ofInput({ type: "object", properties: { x: schema }, required: ["x"] }).match(
    /^tools\.yard\.doIt\(\{ x: (.*) \}\)/,
  )?.[1]

/** Fails with the compiler's own message unless every line holds types that compile. */
function compile(lines: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-signature-"))
  try {
    const types = lines.map((line, i) => {
      const [, input, result] = line.match(SHAPE) ?? []
      expect(result, line).toBeDefined()
      return `export type T${i} = (${input ? `args: ${input}` : ""}) => ${result}`
    })
    writeFileSync(join(folder, "types.ts"), types.join("\n"))
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc")
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--target", "es2024", "--types", "", "--pretty", "false"]
    execFileSync(process.execPath, [tsc, ...options, join(folder, "types.ts")], { encoding: "utf8", stdio: "pipe" })
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout || String(error))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("signature", () => {
  it("reads like the call that an agent writes", () => {
    const inputSchema = {
      type: "object",
      properties: {
        owner: { type: "string" },
        repo: { type: "string" },
        labels: { type: "array", items: { type: "string" } },
        state: { enum: ["open", "closed"] },
      },
      required: ["owner", "repo"],
    }
    expect(signature("github", { name: "create_issue", inputSchema })).toBe(
      'tools.github.createIssue({ owner: string; repo: string; labels?: string[]; state?: "open" | "closed" }): Promise<any>',
    )
  })

  it("shows the result where the tool declares one, and the names that the catalog assigned", () => {
    const tool = { name: "a-b", outputSchema: { type: "object", properties: { n: { type: "integer" } } } }
    expect(signature("s", tool, { server: "s2", tool: "aB3" })).toBe("tools.s2.aB3(): Promise<{ n?: number }>")
  })

  it.each([
    [{ const: 5 }, "5"],
    [{ enum: ["a", 1, true, null] }, '"a" | 1 | true | null'],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, "string | string[]"],
    [{ type: "array", items: { oneOf: [{ type: "string" }, { type: "number" }] } }, "(string | number)[]"],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
    [{ type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } }, "[string, ...number[]]"],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ properties: { y: { type: "boolean" } }, additionalProperties: true }, "{ y?: boolean; [key: string]: unknown }"],
    [{ type: "object", properties: { y: {} }, required: ["y", "z"] }, "{ y: unknown; z: unknown }"],
    [{ type: "object", properties: { "a-b": {}, $c: {} } }, '{ "a-b"?: unknown; $c?: unknown }'],
    [
      { allOf: [{ properties: { a: { type: "string" } } }, { anyOf: [{ properties: { b: {} } }, { type: "null" }] }] },
      "{ a?: string } & ({ b?: unknown } | null)",
    ],
    [{ type: "object", properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }] }, "{ a?: string }"],
    [true, "unknown"],
    [false, "never"],
    [{ type: "dict", properties: { a: { type: "float" } } }, "{ a?: number }"],
    [{ type: "tuple", items: { type: "any" } }, "unknown[]"],
    [{ type: "constructor" }, "unknown"],
    [{ $ref: "https://example.com/other.json" }, "unknown"],
  ])("writes %j as %s", (schema, expected) => {
    expect(ofProperty(schema)).toBe(expected)
  })

  it("follows references, and ends recursion in unknown", () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/$defs/a~1b" }, name: { $ref: "#/definitions/n%20" } },
    }
    const inputSchema = { ...node, $defs: { "a/b": node }, definitions: { "n ": { type: "string" } } }
    expect(ofInput(inputSchema)).toBe(
      "tools.yard.doIt({ next?: { next?: unknown; name?: string }; name?: string }): Promise<any>",
    )
  })

  it.each([undefined, null, {}, true, 7, "schema", [], { type: "object", properties: {} }, { properties: [] }])(
    "takes no arguments for the schema %j",
    schema => expect(ofInput(schema)).toBe("tools.yard.doIt(): Promise<any>"),
  )

  it("stays on one line and cannot end the comment that it is put into", () => {
    const line = ofProperty({ enum: ["*/ alert()", "a\nb\u2028c"] })
    expect(line).toBe('"*\\/ alert()" | "a\\nb\\u2028c"')
  })

  describe("when it would be too long", () => {
    const text = { type: "string" }
    const wide = (count: number, of: unknown = text) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`property_${i}`, of]))

    it("leaves out depth first, and says where the rest is", () => {
      const inputSchema = {
        type: "object",
        properties: { id: text, body: { properties: wide(200) } },
        required: ["id"],
      }
      expect(ofInput(inputSchema)).toBe(
        "tools.yard.doIt({ id: string; body?: object } /* shortened: toolyard tools yard --schema */): Promise<any>",
      )
    })

    it("then leaves out optional parameters, and puts the required ones first", () => {
      const inputSchema = { type: "object", properties: { ...wide(200), last: text }, required: ["last"] }
      const line = ofInput(inputSchema)
      expect(line).toMatch(/^tools\.yard\.doIt\(\{ last: string; property_0\?: string; .*\?: string \} \/\* shortened/)
      expect(line.length).toBeLessThanOrEqual(1600)
      expect(line.length).toBeGreaterThan(1200)
    })

    it("shows some members of a long enum and what kind the others are", () => {
      expect(ofProperty({ enum: Object.keys(wide(300)) })).toBeUndefined()
      const line = ofInput({ properties: { x: { enum: Object.keys(wide(300)) } } })
      expect(line).toMatch(/x\?: "property_0" \| .* \| "property_11" \| string \} \/\* shortened/)
    })

    it("gives the result less room than the parameters", () => {
      const tool = { name: "t", inputSchema: { properties: wide(40) }, outputSchema: { properties: wide(400) } }
      expect(signature("s", tool)).toMatch(/property_39\?: string } \/\* shortened: .* \*\/\): Promise<object>$/)
    })

    it("neutralises names that would end the note", () => {
      const line = signature("a*/b", { name: "c\n*/", inputSchema: { properties: wide(300) } })
      expect(line.match(/\*\//g)).toHaveLength(1)
      expect(line).not.toContain("\n")
    })

    it("is quick even where references multiply without end", () => {
      const both = (name: string) => ({
        properties: { l: { $ref: `#/$defs/${name}` }, r: { $ref: `#/$defs/${name}` } },
      })
      const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d${i}`, both(`d${i + 1}`)]))
      const deep = JSON.parse(`${'{"anyOf":['.repeat(3000)}{}${"]}".repeat(3000)}`)
      const start = performance.now()
      expect(ofInput({ ...both("d0"), $defs }).length).toBeLessThanOrEqual(1600)
      expect(ofInput({ properties: { deep } }).length).toBeLessThanOrEqual(1600)
      expect(performance.now() - start).toBeLessThan(1000)
    })
  })

  it("never throws and never grows, whatever a server sends as a schema", () => {
    const keys = [
      "type",
      "properties",
      "items",
      "anyOf",
      "allOf",
      "enum",
      "const",
      "$ref",
      "required",
      "nullable",
      "x y",
    ]
    const { schema } = fc.letrec(tie => ({
      leaf: fc.oneof(fc.constantFrom("object", "array", "string", "#", "#/properties/x", "toString"), fc.jsonValue()),
      schema: fc.oneof(
        { depthSize: "medium" },
        tie("leaf"),
        fc.array(tie("schema"), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie("schema"), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(schema, schema, (inputSchema, outputSchema) => {
        const line = signature("s", { name: "t", inputSchema, outputSchema })
        expect(line).toMatch(SHAPE)
        expect(line.length).toBeLessThanOrEqual(1600)
      }),
    )
  })

  it.skipIf(!existsSync(CATALOGS))("compiles for every tool of the recorded catalogs", { timeout: 60_000 }, () => {
    const lines = readdirSync(CATALOGS)
      .filter(file => file.endsWith(".json"))
      .map(
        file => JSON.parse(readFileSync(join(CATALOGS, file), "utf8")) as { server: string; tools: ToolDefinition[] },
      )
      .flatMap(({ server, tools }) => tools.map(tool => signature(server, tool)))
    expect(lines.length).toBeGreaterThan(900)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(1600)
    compile(lines)
  })

  it("compiles for names and literals that need quoting", { timeout: 60_000 }, () => {
    const odd = ["", "a b", "*/", '"', "\\", "\u2028", "__proto__", "constructor", "日本", "1a", "`x`"]
    const properties = Object.fromEntries(odd.map(name => [name, { enum: [name, -1, 1e21, null] }]))
    compile([
      ofInput({ properties: JSON.parse(JSON.stringify(properties)), additionalProperties: true }),
      signature("größe", {
        name: "class",
        inputSchema: { properties: { x: { type: ["array", "null"], items: { enum: odd } } } },
      }),
      signature("s", {
        name: "t",
        inputSchema: { properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
      }),
    ])
  })
})
