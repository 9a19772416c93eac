import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import type { OperationPlan, ParameterPlan } from "../operation.ts"
import { toAddress } from "./address.ts"
import { openWireCase, parameter, type WireCase } from "./wire-case.ts"

const LIST = ["blue", "black", "brown"]
const COLOR = { R: 100, G: 200, B: 150 }

describe("the address on the wire", () => {
  let wire: WireCase
  beforeAll(async () => {
    wire = await openWireCase()
  })
  afterAll(() => wire.close())

  const urlOf = async (plan: Partial<OperationPlan>, args: JsonObject, server?: string): Promise<string> => {
    await wire.send(plan, args, server === undefined ? {} : { server })
    return wire.seen.at(-1)!.url
  }
  const query = (value: unknown, more: Partial<ParameterPlan> = {}): Promise<string> =>
    urlOf({ path: "/q", parameters: [parameter("query", "color", more)] }, { color: value })
  const path = (value: unknown, more: Partial<ParameterPlan> = {}): Promise<string> =>
    urlOf({ path: "/p/{color}/end", parameters: [parameter("path", "color", more)] }, { color: value })

  it("writes queries in the form style", async () => {
    expect(await query("blue")).toBe("/q?color=blue")
    expect(await query(LIST)).toBe("/q?color=blue&color=black&color=brown")
    expect(await query(LIST, { explode: false })).toBe("/q?color=blue,black,brown")
    expect(await query(COLOR)).toBe("/q?R=100&G=200&B=150")
    expect(await query(COLOR, { explode: false })).toBe("/q?color=R,100,G,200,B,150")
  })

  it("writes queries in the space- and pipe-delimited styles", async () => {
    const style = "spaceDelimited"
    expect(await query(LIST, { style })).toBe("/q?color=blue%20black%20brown")
    expect(await query(COLOR, { style })).toBe("/q?color=R%20100%20G%20200%20B%20150")
    expect(await query(LIST, { style: "pipeDelimited" })).toBe("/q?color=blue%7Cblack%7Cbrown")
    expect(await query(LIST, { style: "pipeDelimited", explode: true })).toBe("/q?color=blue&color=black&color=brown")
  })

  it("writes deep objects, also nested and with lists", async () => {
    const deep = async (value: unknown) =>
      decodeURIComponent(await query(value, { style: "deepObject", explode: true }))
    expect(await query(COLOR, { style: "deepObject" })).toBe("/q?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150")
    expect(await deep({ a: { b: { c: 1 } }, d: null })).toBe("/q?color[a][b][c]=1")
    expect(await deep({ tags: ["x", "y"] })).toBe("/q?color[tags][]=x&color[tags][]=y")
    expect(await deep([{ id: 1, n: 2 }, { id: 3 }])).toBe("/q?color[0][id]=1&color[0][n]=2&color[1][id]=3")
    expect(await deep("plain")).toBe("/q?color=plain")
  })

  it("writes paths in the simple style", async () => {
    expect(await path("blue")).toBe("/p/blue/end")
    expect(await path(LIST)).toBe("/p/blue,black,brown/end")
    expect(await path(COLOR)).toBe("/p/R,100,G,200,B,150/end")
    expect(await path(COLOR, { explode: true })).toBe("/p/R=100,G=200,B=150/end")
  })

  it("writes paths in the label style", async () => {
    const style = "label"
    expect(await path("blue", { style })).toBe("/p/.blue/end")
    expect(await path(LIST, { style, explode: false })).toBe("/p/.blue,black,brown/end")
    expect(await path(LIST, { style, explode: true })).toBe("/p/.blue.black.brown/end")
    expect(await path(COLOR, { style, explode: false })).toBe("/p/.R,100,G,200,B,150/end")
    expect(await path(COLOR, { style, explode: true })).toBe("/p/.R=100.G=200.B=150/end")
  })

  it("writes paths in the matrix style", async () => {
    const style = "matrix"
    expect(await path("blue", { style })).toBe("/p/;color=blue/end")
    expect(await path("", { style })).toBe("/p/;color/end")
    expect(await path(LIST, { style, explode: false })).toBe("/p/;color=blue,black,brown/end")
    expect(await path(LIST, { style, explode: true })).toBe("/p/;color=blue;color=black;color=brown/end")
    expect(await path(COLOR, { style, explode: false })).toBe("/p/;color=R,100,G,200,B,150/end")
    expect(await path(COLOR, { style, explode: true })).toBe("/p/;R=100;G=200;B=150/end")
  })

  it("encodes whatever could mean something else", async () => {
    expect(await query("a b&c=d#e+f/g?h%20")).toBe("/q?color=a%20b%26c%3Dd%23e%2Bf%2Fg%3Fh%2520")
    expect(await query(["a,b", "c|d"], { explode: false })).toBe("/q?color=a%2Cb,c%7Cd")
    expect(await query("größe 😀 it's (1)*!")).toBe("/q?color=gr%C3%B6%C3%9Fe%20%F0%9F%98%80%20it%27s%20%281%29%2A%21")
    expect(await path("😀/ü")).toBe("/p/%F0%9F%98%80%2F%C3%BC/end")
    expect(await urlOf({ path: "/q", parameters: [parameter("query", "f[a] b")] }, { "f[a] b": 1 })).toBe(
      "/q?f%5Ba%5D%20b=1",
    )
  })

  it("refuses half a character instead of sending something else", async () => {
    await expect(query("a\ud800b")).rejects.toMatchObject({ code: "invalid_arguments", message: /surrogate/ })
    await expect(path("\udc00")).rejects.toMatchObject({ code: "invalid_arguments" })
  })

  it("lets reserved characters through where the description allows it, but none that ends the value", async () => {
    const allowReserved = true
    expect(await query("a/b:c?d@e,f;g$h=i", { allowReserved })).toBe("/q?color=a/b:c?d@e,f;g$h=i")
    expect(await query("%2F kept, 100% not", { allowReserved })).toBe("/q?color=%2F%20kept,%20100%25%20not")
    expect(await query("a&b#c+d[e]", { allowReserved })).toBe("/q?color=a%26b%23c%2Bd%5Be%5D")
    expect(await path("a:b/c?d#e", { allowReserved })).toBe("/p/a:b%2Fc%3Fd%23e/end")
  })

  it.each([".", "..", "%2e%2E", ".%2e"])("can't be led to another path by %s", async value => {
    await expect(path(value, { allowReserved: true })).rejects.toMatchObject({ code: "invalid_arguments" })
  })

  it("can't be led to another path by slashes, nor to the collection by an empty value", async () => {
    expect(await path("../../admin")).toBe("/p/..%2F..%2Fadmin/end")
    expect(await path("a\\..\\b")).toBe("/p/a%5C..%5Cb/end")
    for (const empty of ["", null, undefined, []])
      await expect(path(empty)).rejects.toMatchObject({ code: "invalid_arguments", message: /color/ })
  })

  it("tells empty, absent, null, false and zero apart", async () => {
    expect(await query("")).toBe("/q?color=")
    expect(await query(undefined)).toBe("/q")
    expect(await query(null)).toBe("/q")
    expect(await query([])).toBe("/q")
    expect(await query([], { explode: false })).toBe("/q")
    expect(await query(["a", null, ""])).toBe("/q?color=a&color=")
    expect(await query(false)).toBe("/q?color=false")
    expect(await query(0)).toBe("/q?color=0")
    expect(await query(-1.5e-7)).toBe("/q?color=-1.5e-7")
    expect(await query({ a: { b: [1] } })).toBe(`/q?a=${encodeURIComponent('{"b":[1]}')}`)
  })

  it("sends parameters that have a media type as that", async () => {
    const content = "application/json"
    expect(await query({ a: [1, null] }, { content })).toBe(`/q?color=${encodeURIComponent('{"a":[1,null]}')}`)
    expect(await query("x", { content })).toBe("/q?color=%22x%22")
    expect(await path({ a: 1 }, { content })).toBe("/p/%7B%22a%22%3A1%7D/end")
  })

  it("keeps parameters of one name in several places apart", async () => {
    const parameters = [
      parameter("path", "id"),
      parameter("query", "id", { argument: "id_query" }),
      parameter("header", "id", { argument: "id_header" }),
      parameter("cookie", "id", { argument: "id_cookie" }),
    ]
    const args = { id: "p", id_query: "q", id_header: "h", id_cookie: "c" }
    expect(await urlOf({ path: "/x/{id}", parameters }, args)).toBe("/x/p?id=q")
    expect(wire.seen.at(-1)!.headers).toMatchObject({ id: "h", cookie: "id=c" })
  })

  it("uses base paths and server variables, and the first of several servers", async () => {
    const { origin } = wire
    const server = (url: string, variables = {}) => ({ url, variables })
    expect(await urlOf({ path: "/pets", servers: [server(`${origin}/api/v1/`)] }, {})).toBe("/api/v1/pets")
    expect(await urlOf({ path: "/pets", servers: [server(`${origin}/op`), server("http://127.0.0.1:1/")] }, {})).toBe(
      "/op/pets",
    )
    const variables = { version: { default: "v2", enum: ["v1", "v2"] }, tenant: { default: "acme" } }
    const servers = [server(`${origin}/{tenant}/{version}`, variables)]
    expect(await urlOf({ path: "/pets", servers }, {})).toBe("/acme/v2/pets")
  })

  it("says what to set when the description has no usable address, and uses what is set", async () => {
    const servers = [{ url: "https://{tenant}.example.com", variables: {} }]
    await expect(wire.send({ servers })).rejects.toMatchObject({ code: "config_invalid", hint: /`server`/ })
    expect(await urlOf({ path: "/pets", servers }, {}, `${wire.origin}/mock`)).toBe("/mock/pets")
  })

  it("copes with odd templates: a query, a fragment, spaces, unbound places, parts of a segment", async () => {
    const parameters = [parameter("query", "b"), parameter("path", "id"), parameter("path", "ext")]
    expect(await urlOf({ path: "/x?action=run now", parameters }, { b: 1 })).toBe("/x?action=run%20now&b=1")
    expect(await urlOf({ path: "/#X-Target=a.b" }, {})).toBe("/")
    expect(await urlOf({ path: "/größe/{unbound}" }, {})).toBe("/gr%C3%B6%C3%9Fe/%7Bunbound%7D")
    expect(await urlOf({ path: "/f/{id}.{ext}", parameters }, { id: "..", ext: "json" })).toBe("/f/...json")
  })
})

describe("any value at all", () => {
  const plan: OperationPlan = {
    id: "x",
    method: "GET",
    path: "/a/{id}/z",
    servers: [{ url: "http://h/base", variables: {} }],
    parameters: [parameter("path", "id"), parameter("query", "q"), parameter("query", "list", { explode: false })],
    security: [],
  }

  it("arrives as it was given, in its place, and moves nothing else", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(..."./%\\?#&=;,+ é😀") }))
    fc.assert(
      fc.property(text, text, fc.array(text, { minLength: 1 }), (id, q, list) => {
        fc.pre(id !== "" && !/^(?:\.|%2e){1,2}$/i.test(id))
        const { origin, path } = toAddress(plan, { id, q, list })
        expect(path).toMatch(/^[!-~]+$/)
        const url = new URL(origin + path)
        const segments = url.pathname.split("/")
        expect(segments.map(decodeURIComponent)).toEqual(["", "base", "a", id, "z"])
        expect([...url.searchParams.keys()]).toEqual(["q", "list"])
        expect(url.searchParams.get("q")).toBe(q)
        const raw = path.slice(path.indexOf("&list=") + 6)
        expect(raw.split(",").map(decodeURIComponent)).toEqual(list)
      }),
    )
  })
})
