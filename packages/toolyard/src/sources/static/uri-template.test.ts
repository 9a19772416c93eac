import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseUriTemplate } from "./uri-template.ts"

const match = (template: string, uri: string): Record<string, string> | undefined =>
  parseUriTemplate(template).match(uri)

describe("a URI template", () => {
  it.each([
    ["file://docs/{name}.md", "file://docs/a%20b.md", { name: "a b" }],
    ["file://docs/{+path}", "file://docs/a/b.md", { path: "a/b.md" }],
    ["file://{+path}.{ext}", "file://a.b/c.d.md", { path: "a.b/c.d", ext: "md" }],
    ["map://{x,y}/end", "map://1,2/end", { x: "1", y: "2" }],
    ["map:/{/a,b}", "map://1/2", { a: "1", b: "2" }],
    ["server://w/get?city={city}", "server://w/get?city=K%C3%B6ln", { city: "Köln" }],
    ["server://w/get{?city,unit}", "server://w/get?unit=c&city=New+York", { unit: "c", city: "New York" }],
    ["server://w/get{?city,unit}", "server://w/get", {}],
    ["server://w/get?a=1{&b}", "server://w/get?a=1&b=2", { b: "2" }],
    ["x://{a}{b}", "x://12", { a: "12", b: "" }],
    ["x://same", "x://same", {}],
  ])("%s was made into %s by its values", (template, uri, values) => {
    expect(match(template, uri)).toEqual(values)
  })

  it.each([
    ["file://docs/{name}.md", "file://docs/a/b.md"],
    ["file://docs/{name}.md", "file://docs/a.txt"],
    ["server://w/get?city={city}", "server://w/get?city=a&admin=true"],
    ["server://w/get{?city}", "server://w/get?admin=true"],
    ["server://w/get{?city}", "server://w/get?city=a&city=b"],
    ["x://{a}", "x://%zz"],
    ["x://{a}", `x://${"a".repeat(10_000)}`],
  ])("%s can't have made %s", (template, uri) => {
    expect(match(template, uri)).toBeUndefined()
  })

  it.each(["x://{}", "x://{a", "x://a}", "x://{a*}", "x://{a:3}", "x://{#a}", "x://{a}/{a}", "x://{{a}}", "x://{a b}"])(
    "%s is refused",
    template => {
      expect(() => parseUriTemplate(template)).toThrow(expect.objectContaining({ code: "config_invalid" }))
    },
  )

  it("gives back whatever values a URI was made of", () => {
    const value = fc.string({ unit: "grapheme", minLength: 1 }).filter(text => text.isWellFormed())
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const uri = `x://${encodeURIComponent(a)}/y/${encodeURIComponent(b)}?c=${encodeURIComponent(c)}`
        expect(match("x://{a}/y/{b}{?c}", uri)).toEqual({ a, b, c })
      }),
    )
  })

  it("never takes long, and only says yes or no, whatever it is given", () => {
    const template = parseUriTemplate(`x://${Array.from({ length: 20 }, (_, index) => `{+v${index}}`).join("-")}-!`)
    // A matcher that goes back and forth would not come to an end here.
    expect(template.match(`x://${"-".repeat(8000)}`)).toBeUndefined()
    const pieces = fc.array(fc.constantFrom("{a}", "{+b}", "{?c,d}", "{&e}", "{/f}", "/", "-", "x:", "?", "a"))
    fc.assert(
      fc.property(pieces, fc.string({ unit: "binary" }), (written, uri) => {
        const values = parseUriTemplate([...new Set(written)].join("")).match(uri)
        expect(values === undefined || typeof values === "object").toBe(true)
      }),
    )
  })
})
