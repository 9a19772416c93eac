import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ToolDefinition } from "../../model/mcp.ts"
import type { ToolShape } from "./shape.ts"
import { signature, terse } from "./signature.ts"

const MAX_LENGTH = 1320
const text = { type: "string" }
const YARD = { server: "yard", tsName: "yard" }

const shape = (definition: ToolDefinition, more: Partial<ToolShape> = {}) => ({
  name: definition.name,
  tsName: "doIt",
  definition,
  ...more,
})
const ofInput = (inputSchema: unknown) => signature(shape({ name: "do_it", inputSchema }), YARD)

const ISSUE = {
  type: "object",
  properties: {
    owner: text,
    labels: { type: "array", items: text },
    repo: text,
    state: { enum: ["open", "closed"] },
  },
  required: ["owner", "repo"],
}

describe("signature", () => {
  it("T5 reads like the method that an agent calls", () => {
    const tool = {
      name: "create_issue",
      tsName: "createIssue",
      definition: { name: "create_issue", inputSchema: ISSUE },
    }
    expect(signature(tool, { server: "github", tsName: "github" })).toBe(
      'tools.github.createIssue(params: { owner: string; labels?: string[]; repo: string; state?: "open" | "closed" }): Promise<any>',
    )
  })

  it("says whether the parameters may be left out", () => {
    expect(ofInput({ properties: { a: text } })).toBe("tools.yard.doIt(params?: { a?: string }): Promise<any>")
    expect(ofInput({ type: "object", additionalProperties: true })).toBe(
      "tools.yard.doIt(params?: Record<string, unknown>): Promise<any>",
    )
    const either = { anyOf: [{ properties: { a: text }, required: ["a"] }, { properties: { b: text } }] }
    expect(ofInput(either)).toBe("tools.yard.doIt(params?: { a: string } | { b?: string }): Promise<any>")
  })

  it.each([
    [undefined],
    [null],
    [{}],
    [true],
    [7],
    ["schema"],
    [[]],
    [{ type: "string" }],
    [{ type: "object", properties: {} }],
    [{ properties: [] }],
  ])("takes no arguments for the schema %j", schema => expect(ofInput(schema)).toBe("tools.yard.doIt(): Promise<any>"))

  it("finds misspelt parameters even where the schema lets others pass", () => {
    const open = { type: "object", properties: { a: text, b: { properties: { c: text }, additionalProperties: true } } }
    expect(ofInput({ ...open, additionalProperties: true })).toBe(
      "tools.yard.doIt(params?: { a?: string; b?: { c?: string; [k: string]: unknown } }): Promise<any>",
    )
  })

  it("shows the result that the tool declares, else the one that was learned", () => {
    const learned = { resultSchema: { type: "object", properties: { id: {} } }, learnedFrom: 3 }
    const outputSchema = { type: "object", properties: { n: { type: "number" } } }
    expect(signature(shape({ name: "t", outputSchema }, learned), YARD)).toBe(
      "tools.yard.doIt(): Promise<{ n?: number }>",
    )
    expect(signature(shape({ name: "t" }, learned), YARD)).toBe(
      "tools.yard.doIt(): Promise<{ id?: any } /* learned from 3 calls */>",
    )
  })

  it("adds what a type cannot say, where a value could be refused for it", () => {
    const properties = {
      page: { type: "integer", minimum: 1, maximum: 100 },
      skip: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      since: { type: "string", format: "date-time" },
      odd: { type: "string", format: "*/ alert()" },
    }
    expect(ofInput({ properties })).toBe(
      "tools.yard.doIt(params?: { page?: number /* 1–100 */; skip?: number /* ≥ 0 */; since?: string /* date-time */; odd?: string /* *\\/ alert() */ }): Promise<any>",
    )
  })

  it("follows references, and ends recursion in unknown", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/a" }, name: text } }
    expect(ofInput({ ...node, $defs: { a: node } })).toBe(
      "tools.yard.doIt(params?: { next?: { next?: unknown; name?: string }; name?: string }): Promise<any>",
    )
  })

  it("stays on one line and cannot end the comment that it is put into", () => {
    expect(ofInput({ properties: { x: { enum: ["*/ alert()", "a\nb\u2028c"] }, "a-b": {}, "*/\n": {} } })).toBe(
      'tools.yard.doIt(params?: { x?: "*\\/ alert()" | "a\\nb\\u2028c"; "a-b"?: unknown; "*\\/\\n"?: unknown }): Promise<any>',
    )
  })

  describe("when it would be too long", () => {
    const wide = (count: number, of: unknown = text) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`property_${i}`, of]))

    it("leaves out depth first, and says where the rest is", () => {
      const inputSchema = {
        type: "object",
        properties: { id: text, body: { properties: wide(200) } },
        required: ["id"],
      }
      expect(ofInput(inputSchema)).toBe(
        "tools.yard.doIt(params: { id: string; body?: object } /* shortened: toolyard types yard.do_it */): Promise<any>",
      )
    })

    it("then leaves out optional parameters, and puts the required ones first", () => {
      const line = ofInput({ type: "object", properties: { ...wide(200), last: text }, required: ["last"] })
      expect(line).toMatch(
        /^tools\.yard\.doIt\(params: \{ last: string; property_0\?: string; .*\?: string \} \/\* shortened/,
      )
      expect(line.length).toBeLessThanOrEqual(MAX_LENGTH)
      expect(line.length).toBeGreaterThan(1000)
    })

    it("does so with alternatives too", () => {
      const line = ofInput({
        anyOf: [
          { properties: wide(150), required: ["property_9"] },
          { properties: { z: text }, required: ["z"] },
        ],
      })
      expect(line).toMatch(/^tools\.yard\.doIt\(params: \{ property_0\?: string; .* \} \/\* shortened/)
      expect(line.length).toBeLessThanOrEqual(MAX_LENGTH)
    })

    it("shows some members of a long enum and what kind the others are", () => {
      const line = ofInput({ properties: { x: { enum: Object.keys(wide(300)) } } })
      expect(line).toMatch(/x\?: "property_0" \| .* \| "property_23" \| string \} \/\* shortened/)
    })

    it("gives the result less room than the parameters", () => {
      const tool = shape({ name: "t", inputSchema: { properties: wide(40) }, outputSchema: { properties: wide(400) } })
      expect(signature(tool, YARD)).toMatch(/property_39\?: string \} \/\* shortened: .* \*\/\): Promise<any>$/)
    })

    it("neutralises names that would end the note", () => {
      const tool = shape({ name: "c\n*/", inputSchema: { properties: wide(300) } })
      const line = signature(tool, { server: "a*/b", tsName: "ab" })
      expect(line.match(/\*\//g)).toHaveLength(1)
      expect(line).not.toContain("\n")
    })

    it("holds even where references multiply without end", () => {
      const both = (name: string) => ({
        properties: { l: { $ref: `#/$defs/${name}` }, r: { $ref: `#/$defs/${name}` } },
      })
      const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d${i}`, both(`d${i + 1}`)]))
      expect(ofInput({ ...both("d0"), $defs }).length).toBeLessThanOrEqual(MAX_LENGTH)
      const parts = (name: string) => ({
        allOf: [{ $ref: `#/$defs/${name}` }, { anyOf: [{ $ref: `#/$defs/${name}` }, text] }],
      })
      const $parts = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i}`, parts(`d${i + 1}`)]))
      const inputSchema = { ...parts("d0"), $defs: { ...$parts, d40: { properties: { a: text, b: text } } } }
      expect(ofInput(inputSchema).length).toBeLessThanOrEqual(MAX_LENGTH)
      expect(terse(shape({ name: "t", inputSchema }))).toBe("doIt(a?, b?)")
    })

    it("holds for any names and literals", () => {
      fc.assert(
        fc.property(fc.dictionary(fc.string({ maxLength: 3000 }), fc.string({ maxLength: 3000 })), properties => {
          const line = ofInput({
            properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, { const: value }])),
          })
          expect(line.length).toBeLessThanOrEqual(MAX_LENGTH)
        }),
      )
    })
  })
})

describe("terse", () => {
  it("names the parameters, the required ones first", () => {
    expect(terse(shape({ name: "t", inputSchema: ISSUE }))).toBe("doIt(owner, repo, labels?, state?)")
    expect(terse(shape({ name: "t" }))).toBe("doIt()")
    expect(terse(shape({ name: "t", inputSchema: { properties: { "a-b": {} } } }))).toBe('doIt("a-b"?)')
  })

  it("requires of alternatives what all of them require", () => {
    const one = { properties: { a: text, b: text }, required: ["a", "b"] }
    const other = { properties: { a: text, c: text }, required: ["a", "c"] }
    expect(terse(shape({ name: "t", inputSchema: { oneOf: [one, other] } }))).toBe("doIt(a, b?, c?)")
  })

  it("says where there are more", () => {
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, {}]))
    expect(terse(shape({ name: "t", inputSchema: { properties } }))).toMatch(/^doIt\(p0\?, .*, p23\?, …\)$/)
  })
})
