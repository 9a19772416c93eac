import { Ajv } from "ajv"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isName } from "./names.ts"
import { merge, nodesOf, observe, type Shape } from "./shape.ts"
import { toSchema } from "./to-schema.ts"

const learn = (...values: unknown[]) => values.reduce<Shape | undefined>(observe, undefined) ?? {}
const schemaOf = (...values: unknown[]) => toSchema(learn(...values))

/** Keys of all sorts: names, data, and those that are special to JavaScript. */
const key = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("id", "name", "items", "createdAt", "html_url", "$ref", "n1", "constructor"),
  },
  fc.constantFrom(
    "__proto__",
    "toString",
    "a b",
    "x.y",
    "42",
    "ann@example.com",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  ),
  fc.string({ maxLength: 12 }),
)
const { value: anyValue } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom<unknown>(null, true, false, 0, 1.5, "", "text"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map(pairs => Object.fromEntries(pairs)),
  ),
}))
const shape = fc.array(anyValue, { maxLength: 3 }).map(values => learn(...values))

describe("N4 the shape of results", () => {
  it("names the types that were seen, with every key optional", () => {
    expect(schemaOf({ id: 1, tags: ["a"], owner: { login: "x" } }, { id: 2, owner: null, note: "y" })).toEqual({
      type: "object",
      properties: {
        id: { type: "number" },
        tags: { type: "array", items: { type: "string" } },
        owner: { anyOf: [{ type: "object", properties: { login: { type: "string" } } }, { type: "null" }] },
        note: { type: "string" },
      },
    })
  })

  it.each<[string, unknown, object]>([
    ["null", null, { type: "null" }],
    ["a text", "x", { type: "string" }],
    ["an empty list", [], { type: "array", items: {} }],
    ["an empty object", {}, { type: "object", properties: {} }],
    ["a mixed list", [1, "a", true], { type: "array", items: { type: ["boolean", "number", "string"] } }],
  ])("is plain for %s", (_, value, schema) => {
    expect(schemaOf(value)).toEqual(schema)
  })

  it.each<[string, object]>([
    ["ids", { "1": { n: 1 }, "2": { n: 2 } }],
    ["e-mail addresses", { "ann@example.com": { n: 1 } }],
    ["UUIDs", { "f47ac10b-58cc-4372-a567-0e02b2c3d479": { n: 1 } }],
    ["people", { "Ann Smith": { n: 1 } }],
    ["files", { "src/index.ts": { n: 1 } }],
    ["one that is data among names", { total: { n: 1 }, usr_8fA3k9Zq2: { n: 2 } }],
    [
      "more than fifty names",
      Object.fromEntries(
        Array.from({ length: 51 }, (_, i) => [`k${String.fromCharCode(97 + (i % 26))}${i}`, { n: i }]),
      ),
    ],
  ])("takes an object whose keys are %s for a record", (_, value) => {
    expect(schemaOf(value)).toEqual({
      type: "object",
      additionalProperties: { type: "object", properties: { n: { type: "number" } } },
    })
  })

  it("becomes a record when fifty names are passed over several results", () => {
    const values = Array.from({ length: 60 }, (_, i) => ({ [`name${String.fromCharCode(97 + (i % 26))}${i}`]: i }))
    expect(learn(...values.slice(0, 50)).keys).toBeDefined()
    expect(learn(...values)).toEqual({ values: { scalars: ["number"] } })
  })

  it("stays small, whatever comes", () => {
    const wide = (depth: number): unknown =>
      depth === 0 ? 1 : Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`k${i}`, wide(depth - 1)]))
    const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`)
    for (const one of [learn(wide(4)), learn(deep), learn(wide(4), deep, wide(3))]) {
      expect(nodesOf(one)).toBeLessThanOrEqual(400)
    }
    expect(JSON.stringify(learn(deep)).match(/items/g)?.length).toBe(8)
  })

  it("judges a large result by samples from its beginning to its end", () => {
    const items: unknown[] = Array.from({ length: 100_000 }, (_, id) => ({ id }))
    items[items.length - 1] = { id: null }
    expect(learn(items)).toEqual({ items: { keys: { id: { scalars: ["null", "number"] } } } })
  })

  it("is the same object while nothing new is seen", () => {
    const before = learn({ a: [1, { b: null }], "x y": { c: 1 } }, { list: [] })
    expect(observe(before, { a: [2], "z w": { c: 7 } })).toBe(before)
    expect(observe(learn({ a: [1] }), { a: [] })).toEqual(learn({ a: [1] }))
  })

  it("allows every value that was seen", () => {
    const ajv = new Ajv({ allowUnionTypes: true, ownProperties: true })
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 6 }), values => {
        const validate = ajv.compile(schemaOf(...values))
        for (const value of values) expect(validate(value), JSON.stringify([value, validate.errors])).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it("merges in any order, in any grouping, any number of times", () => {
    fc.assert(
      fc.property(shape, shape, shape, (a, b, c) => {
        expect(merge(a, b)).toEqual(merge(b, a))
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
        expect(merge(a, a)).toEqual(a)
        expect(merge(merge(a, b), b)).toEqual(merge(a, b))
      }),
      { numRuns: 1000 },
    )
  })

  it("is the same whether results are seen by one hub or by two", () => {
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 3 }), fc.array(anyValue, { maxLength: 3 }), (mine, theirs) => {
        expect(merge(learn(...mine), learn(...theirs))).toEqual(learn(...mine, ...theirs))
      }),
      { numRuns: 500 },
    )
  })

  it("holds no value: neither texts, nor numbers, nor keys that are data", () => {
    const secret = fc
      .tuple(fc.constantFrom("Zq", "žž", "0x", "9-"), fc.string({ minLength: 6 }))
      .map(parts => parts.join(""))
    const tree = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        secret,
        fc.integer({ min: 1_000_000 }),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("id", "name", "list"), tie("value")),
        fc.dictionary(
          secret.map(text => `${text} ${text}`),
          tie("value"),
          { maxKeys: 3 },
        ),
      ),
    })).value
    fc.assert(
      fc.property(tree, value => {
        const stored = JSON.stringify(learn(value))
        const left = stored.replace(
          /"(?:any|scalars|keys|values|items|boolean|null|number|string|id|name|list)"|true/g,
          "",
        )
        expect(left).toMatch(/^[{}[\],:]*$/)
      }),
      { numRuns: 500 },
    )
  })
})

describe("names", () => {
  it.each([
    "id",
    "_id",
    "__typename",
    "$ref",
    "@type",
    "#text",
    "createdAt",
    "html_url",
    "Content-Type",
    "x-request-id",
    "URL",
    "sha256",
    "base64Data",
    "image_48",
    "address_line_1",
    "nextPageToken",
    "isHTTPSOnly",
  ])("%s is one", name => {
    expect(isName(name)).toBe(true)
  })

  it.each([
    "",
    "42",
    "2024-01-01",
    "ann@example.com",
    "Ann Smith",
    "example.com",
    "/etc/passwd",
    "PROJ-123",
    "deadbeef",
    "3f2a9c",
    "dQw4w9WgXcQ",
    "U024BE7LH",
    "cus_NffrFeUfNV2Hib1234",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "Ünal",
    "東京",
    "key\n",
    "a".repeat(41),
  ])("%j is data", key => {
    expect(isName(key)).toBe(false)
  })
})
