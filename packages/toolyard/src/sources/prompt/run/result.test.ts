import { describe, expect, it } from "vitest"
import { relaxOutput } from "./relax-schema.ts"
import { toToolResult } from "./result.ts"

const none = { refusals: [] }
const value = (given: unknown) => ({ how: "value" as const, value: given })
const text = (result: Record<string, unknown>): string => (result.content as { text: string }[])[0]?.text ?? ""

describe("what a handler gives, as a tool's result", () => {
  it("is structured when it is an object, and text in any case", () => {
    expect(toToolResult("t", value({ a: 1 }), none)).toEqual({
      content: [{ type: "text", text: '{"a":1}' }],
      structuredContent: { a: 1 },
    })
    expect(toToolResult("t", value("plain"), none)).toEqual({ content: [{ type: "text", text: "plain" }] })
    expect(toToolResult("t", value([1]), none)).toEqual({ content: [{ type: "text", text: "[1]" }] })
  })

  it("is wrapped where the plan says that it is no object, and marked as such", () => {
    const output = relaxOutput({ type: "array", items: { type: "integer" } })
    expect(output?.schema).toEqual({
      type: "object",
      properties: { result: { type: ["array", "null"], items: { type: ["number", "null"] } } },
      "x-toolyard-wrapped": true,
    })
    expect(toToolResult("t", value([1]), none, output)).toMatchObject({
      structuredContent: { result: [1] },
      _meta: { "toolyard/wrapped": true },
    })
  })

  it("B10 is an error that says what to do when there is nothing, or not what was planned", () => {
    expect(toToolResult("t", value(undefined), none)).toMatchObject({ isError: true })
    const wrong = toToolResult("t", value([1]), none, relaxOutput({ type: "object" }))
    expect(wrong.isError).toBe(true)
    expect(text(wrong)).toMatch(/was to give an object, and gave \[1\]\nSay in the prompt/)
  })

  it("B10 is an error when the handler says so in its own way, and never loses what the upstream said", () => {
    expect(toToolResult("t", value({ error: "no such item" }), none)).toMatchObject({ isError: true })
    expect(toToolResult("t", value({ error: null, items: [] }), none).isError).toBeUndefined()
    const failure = { method: "GET", url: "https://x.example/a", status: 503, body: "busy" }
    const thrown = { how: "error" as const, name: "Error", message: "it failed" }
    expect(text(toToolResult("t", thrown, { refusals: [], failure }))).toBe(
      "it failed.\nGET https://x.example/a answered 503: busy",
    )
    const told = { ...thrown, message: "status 503: busy" }
    expect(text(toToolResult("t", told, { refusals: [], failure }))).toBe("status 503: busy.")
  })

  it("B11 names a refused host even when the handler kept it to itself", () => {
    const refusals = ['evil.example is not allowed. To allow it, add "evil.example" to the prompt.']
    const thrown = { how: "error" as const, name: "Error", message: "could not load" }
    expect(text(toToolResult("t", thrown, { refusals }))).toContain('add "evil.example" to the prompt')
  })
})

describe("an output schema as it is offered", () => {
  it("takes nulls, gaps and further keys, and keeps what it says of the rest", () => {
    const relaxed = relaxOutput({
      type: "object",
      required: ["id"],
      additionalProperties: false,
      properties: {
        id: { type: "integer", minimum: 1, description: "Its id." },
        kind: { oneOf: [{ const: "a" }, { type: "string" }] },
      },
    })
    expect(relaxed).toEqual({
      wrapped: false,
      schema: {
        type: "object",
        properties: {
          id: { type: ["number", "null"], description: "Its id." },
          kind: { anyOf: [{}, { type: ["string", "null"] }] },
        },
      },
    })
  })

  it("is none where the kind of value is open", () => {
    expect(relaxOutput(undefined)).toBeUndefined()
    expect(relaxOutput({ $ref: "#/$defs/a", $defs: { a: { type: "object" } } })).toBeUndefined()
  })
})
