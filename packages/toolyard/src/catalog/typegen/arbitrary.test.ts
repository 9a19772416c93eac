/** Schemas that nobody wrote: whatever comes, the text compiles, and what a sound schema accepts fits its type. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compile } from "./compile.fixture.ts"
import { renderServer, renderTools } from "./render.ts"
import { createSampler } from "./samples.fixture.ts"
import type { ServerShape } from "./shape.ts"
import { signature, terse } from "./signature.ts"

const NAMES = ["a", "b", "a-b", "*/", "constructor", "__proto__", "日本", "x y\n"]
const anyName = fc.constantFrom(...NAMES)
/** Without those that every JavaScript object has: Ajv and TypeScript treat them in ways of their own. */
const name = fc.constantFrom(...NAMES.filter(one => !(one in {})))

/** Anything that JSON can hold, but with keywords in likely and unlikely places. */
const { wild } = fc.letrec(tie => ({
  word: fc.constantFrom(
    "object",
    "array",
    "string",
    "#",
    "#/properties/a",
    "#/$defs/a",
    "#a",
    "toString",
    "*/ x",
    "@ts-expect-error",
  ),
  wild: fc.oneof(
    { depthSize: "medium" },
    tie("word"),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie("wild"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc.constantFrom(
            ..."type properties items prefixItems anyOf oneOf allOf enum const $ref $defs $anchor $id required nullable additionalProperties patternProperties description default not".split(
              " ",
            ),
          ),
        },
        { weight: 1, arbitrary: anyName },
      ),
      tie("wild"),
      { maxKeys: 6 },
    ),
  ),
}))

/** Schemas that say what they mean. */
const { sound } = fc.letrec(tie => ({
  sound: fc.oneof(
    { depthSize: "medium" },
    fc.record({ type: fc.constantFrom("string", "number", "integer", "boolean", "null") }),
    fc.record({ type: fc.constant(["string", "null"]) }),
    fc.record({
      enum: fc.uniqueArray(fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)), { minLength: 1 }),
    }),
    fc.record({ const: fc.jsonValue({ maxDepth: 1 }) }),
    fc.record({ $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#") }),
    fc.record({ type: fc.constant("array"), items: tie("sound") }),
    fc
      .array(tie("sound"), { minLength: 1, maxLength: 3 })
      .map(prefixItems => ({ type: "array", prefixItems, items: false, minItems: prefixItems.length })),
    fc
      .tuple(fc.dictionary(name, tie("sound"), { maxKeys: 4 }), fc.array(fc.boolean(), { maxLength: 4 }), fc.boolean())
      .map(([properties, needed, additionalProperties]) => ({
        type: "object",
        properties,
        required: Object.keys(properties).filter((_, i) => needed[i]),
        // Where a schema is silent, a literal with other properties is refused on purpose.
        additionalProperties,
      })),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, tie("sound"), { maxKeys: 2 }),
      additionalProperties: tie("sound"),
    }),
    fc.record({ anyOf: fc.array(tie("sound"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("sound"), { minLength: 1, maxLength: 2 }) }),
  ),
}))

function toServer(schemas: unknown[]): ServerShape {
  const tools = schemas.map((inputSchema, i) => ({
    id: `s__t${i}`,
    name: `t${i}`,
    tsName: `t${i}`,
    definition: {
      name: `t${i}`,
      inputSchema,
      outputSchema: schemas[(i + 1) % schemas.length],
      description: NAMES[i % NAMES.length],
    },
  }))
  return { server: "s", tsName: "s", tools: tools as ServerShape["tools"] }
}

describe("types of arbitrary schemas", () => {
  it("compile, whatever a server sends", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wild, { minLength: 300, maxLength: 300 }), async schemas => {
        const server = toServer(schemas)
        const lines = server.tools.map(tool => signature(tool, server))
        for (const tool of server.tools) expect(terse(tool)).toMatch(/^t\d+\(.*\)$/u)
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(1320)
        const problems = await compile({
          "tools.ts": renderTools([server]),
          "plain.ts": renderTools([server], { docs: false }),
          "signatures.ts": lines
            .map((line, i) => `export interface S${i} { ${line.replace("tools.s.", "")} }`)
            .join("\n"),
        })
        expect(problems).toEqual({ "tools.ts": [], "plain.ts": [], "signatures.ts": [] })
      }),
      { numRuns: 1, endOnFailure: true },
    )
  })

  it("take what a sound schema accepts", { timeout: 60_000 }, async () => {
    const documents = fc.record({ inner: sound, $defs: fc.record({ a: sound, b: sound }) })
    await fc.assert(
      fc.asyncProperty(fc.array(documents, { minLength: 300, maxLength: 300 }), async all => {
        const samplesOf = createSampler()
        const schemas = all.map(({ inner, $defs }) => ({
          type: "object",
          properties: { it: inner },
          required: ["it"],
          $defs,
        }))
        const lines = [renderServer(toServer(schemas))]
        for (const [i, schema] of schemas.entries())
          for (const [j, sample] of samplesOf(schema, 6).entries())
            lines.push(`export const _${i}_${j}: ST${i}Params = ${JSON.stringify(sample)}`)
        expect(lines.length).toBeGreaterThan(300)
        const text = lines.join("\n").split("\n")
        const problems = await compile({ "samples.ts": text.join("\n") })
        const shown = problems["samples.ts"]?.map(one => `${one}\n${text[Number.parseInt(one, 10) - 1]}`)
        expect(shown).toEqual([])
      }),
      { numRuns: 1, endOnFailure: true },
    )
  })
})
