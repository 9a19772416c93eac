import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { YardError } from "../../model/errors.ts"
import { compileTemplate, withDefaults } from "./template.ts"

const fill = (written: unknown, values: Record<string, unknown>): unknown => compileTemplate(written).fill(values)

describe("a template", () => {
  it("puts a value that is the whole text in its place as it is, and its text inside a longer one", () => {
    expect(fill({ n: "{{n}}", deep: [{ o: "{{o}}" }], text: "{{n}} and {{o}}" }, { n: 3, o: { a: [1] } })).toEqual({
      n: 3,
      deep: [{ o: { a: [1] } }],
      text: '3 and {"a":[1]}',
    })
  })

  it("leaves out what is absent, and is empty there inside a longer text", () => {
    expect(fill({ a: "{{a?}}", list: ["{{a?}}", 1], text: "<{{a?}}>" }, {})).toEqual({ list: [1], text: "<>" })
    expect(fill("{{a?}}", {})).toBeUndefined()
  })

  it("knows its parameters and their defaults", () => {
    const { parameters } = compileTemplate(["{{a}}", "{{b:integer=2}}", { c: "x{{c?}}" }])
    expect([...parameters.keys()]).toEqual(["a", "b", "c"])
    expect(withDefaults(parameters.values(), { a: "x" })).toEqual({ a: "x", b: 2 })
    expect(() => withDefaults(parameters.values(), {})).toThrow('"a" is missing')
  })

  it("has no lists, which are for command lines", () => {
    expect(() => compileTemplate("{{a...}}")).toThrow("is for command lines")
  })

  it("never looks into the values it was given", () => {
    expect(fill("{{a}} {{b}}", { a: "{{b}}", b: "\\{{a}}" })).toBe("{{b}} \\{{a}}")
    const filled = fill(JSON.parse('{"__proto__": "{{__proto__}}"}'), JSON.parse('{"__proto__": {"x": 1}}'))
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"x":1}}')
    expect(fill("{{toString?}}!", {})).toBe("!")
  })

  it("is a text as it is where there are no braces, and otherwise fails only with a reason, whatever is written", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom("{{", "}}", "{", "}", "\\", "a", "?", "=", ":", "integer", "...", " "), {
        maxLength: 12,
      }),
    )
    fc.assert(
      fc.property(texts, value => {
        const text = typeof value === "string" ? value : value.join("")
        try {
          const filled = fill([text], { a: "v" })
          if (!text.includes("{{")) expect(filled).toEqual([text])
        } catch (error) {
          expect(error).toBeInstanceOf(YardError)
          expect((error as YardError).code).toBe("config_invalid")
        }
      }),
      { numRuns: 500 },
    )
  })

  it("gives back any JSON without braces unchanged", () => {
    const json = fc.jsonValue().filter(value => !JSON.stringify(value).includes("{{"))
    fc.assert(
      fc.property(json, value => {
        expect(JSON.stringify(fill(value, {}))).toBe(JSON.stringify(value))
      }),
    )
  })
})
