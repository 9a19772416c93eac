import { describe, expect, it } from "vitest"
import { capResult } from "../../catalog/cap.ts"
import { createMemoryBlobs } from "../../state/blobs-memory.ts"
import { toText } from "./text.ts"
import { toValue, toValueText } from "./value.ts"

const text = (...texts: string[]) => ({ content: texts.map(text => ({ type: "text", text })) })
const image = { type: "image", data: "aGk=", mimeType: "image/png" }
const resource = { type: "resource", resource: { uri: "file:///a", text: "A" } }
const link = { type: "resource_link", uri: "file:///b", name: "b" }

const CASES: [string, object, unknown][] = [
  ["structured content before everything else", { ...text("other"), structuredContent: { a: 1 } }, { a: 1 }],
  ["structured content that is no object", { content: [], structuredContent: [1, null] }, [1, null]],
  ["structured content that is null", { ...text("null"), structuredContent: null }, null],
  ["an object in the text", text('{"a":[1,{"b":null}]}'), { a: [1, { b: null }] }],
  ["an array in the text, with blanks around", text("\n [1, 2] \n"), [1, 2]],
  ["plain text", text("hello\nworld"), "hello\nworld"],
  ["text that only begins like JSON", text("{not json}"), "{not json}"],
  ["a number in the text as text", text("007"), "007"],
  ["a long number in the text as text", text("12345678901234567890"), "12345678901234567890"],
  ["a word of JSON in the text as text", text("true"), "true"],
  ["a string of JSON in the text as text", text('"quoted"'), '"quoted"'],
  ["empty text", text(""), ""],
  ["several texts joined", text("a", "b"), "a\nb"],
  ["several texts of which some are JSON, joined", text('{"a":1}', "b"), '{"a":1}\nb'],
  ["several objects as an array", text('{"a":1}', '{"a":2}'), [{ a: 1 }, { a: 2 }]],
  ["an image as it came", { content: [image] }, image],
  ["a resource as it came", { content: [resource] }, resource],
  [
    "mixed content as its parts",
    { content: [...text('{"a":1}', "b").content, image, link] },
    [{ a: 1 }, "b", image, link],
  ],
  ["no content as null", { content: [] }, null],
  ["not even a list of content as null", {}, null],
  ["a block of no known kind as it came", { content: [{ type: "new", x: 1 }] }, { type: "new", x: 1 }],
  ["a key that would be a prototype", text('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ["a failure", { ...text("it broke"), isError: true }, { error: { code: "tool_error", message: "it broke" } }],
  [
    "a failure with data",
    { ...text("no"), structuredContent: { why: 1 }, isError: true },
    { error: { code: "tool_error", message: "no", data: { why: 1 } } },
  ],
  [
    "a failure without a word",
    { content: [], isError: true },
    { error: { code: "tool_error", message: "the tool failed and did not say why" } },
  ],
  ["what is only called a failure", { ...text("fine"), isError: false }, "fine"],
]

describe("a result as a value", () => {
  it.each(CASES)("takes %s", (_, result, value) => {
    expect(toValue(result as never)).toEqual(value)
    expect(JSON.parse(toValueText(result as never))).toEqual(value)
  })

  it("does not print again what is JSON already", () => {
    expect(toValueText(text('{"n": 1.0, "big": 12345678901234567890}'))).toBe('{"n": 1.0, "big": 12345678901234567890}')
    expect(toValueText(text('{"n": 1.0}', "[ ]"))).toBe('[{"n": 1.0},[ ]]')
  })

  it("N3 shows where the whole of a capped result is", async () => {
    const blobs = createMemoryBlobs()
    const whole = text(JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id }))))
    const value = toValue(await capResult(whole, blobs)) as { overflow: { uri: string; size: number }; text: string }
    expect(value.overflow.size).toBe(JSON.stringify(whole).length)
    expect(value.text).toMatch(/^\[\{"id":0\}/)
    const blob = await blobs.get(value.overflow.uri.slice("cid://".length))
    expect(JSON.parse(Buffer.from(blob!.bytes).toString())).toEqual(whole)
  })

  it("N3 takes structured content that the cap left whole for the value", async () => {
    const result = { ...text("x".repeat(100_000)), structuredContent: { a: 1 } }
    expect(toValue(await capResult(result, createMemoryBlobs()))).toEqual({ a: 1 })
  })
})

describe("a result as text", () => {
  it.each<[string, object, string]>([
    ["joins texts", text("a", "b"), "a\nb"],
    [
      "prints resources as JSON",
      { content: [{ type: "text", text: "see" }, resource] },
      `see\n${JSON.stringify(resource)}`,
    ],
    ["says that there is nothing", { content: [] }, "(no output)"],
    ["says that there is nothing in an empty text", text(""), "(no output)"],
    ["prints structured content that stands alone", { structuredContent: { a: 1 } }, '{"a":1}'],
    ["keeps the words of a failure", { ...text("it broke"), isError: true }, "it broke"],
  ])("C5 %s", (_, result, expected) => {
    expect(toText(result as never)).toBe(expected)
  })
})
