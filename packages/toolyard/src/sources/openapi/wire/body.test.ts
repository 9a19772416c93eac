import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { BodyContent, OperationPlan } from "../operation.ts"
import { body, openWireCase, parameter, type Seen, type WireCase } from "./wire-case.ts"

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0123", "latin1")

describe("the body on the wire", () => {
  let wire: WireCase
  beforeAll(async () => {
    wire = await openWireCase()
  })
  afterAll(() => wire.close())

  const post = async (value: unknown, mediaType: string, more: Partial<BodyContent> = {}): Promise<Seen> => {
    await wire.send({ method: "POST", body: body(mediaType, more) }, { body: value })
    return wire.seen.at(-1)!
  }
  /** A part's own headers and text, by its name. */
  const partsOf = ({ body, headers }: Seen): [name: string, head: string, text: string][] => {
    const boundary = /boundary=(.*)$/.exec(headers["content-type"]!)![1]
    const parts = body.toString("latin1").split(`--${boundary}`)
    expect(parts[0]).toBe("")
    expect(parts.at(-1)).toBe("--\r\n")
    return parts.slice(1, -1).map(part => {
      const [head = "", text = ""] = part.replace(/^\r\n|\r\n$/g, "").split(/\r\n\r\n(.*)/s)
      return [/ name="([^"]*)"/.exec(head)![1]!, head, text]
    })
  }

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/vnd.api+json",
  ])("sends %s as it is called", async type => {
    const value = { a: null, b: [1, "ü"], c: { d: false } }
    const seen = await post(value, type)
    expect(seen.headers["content-type"]).toBe(type)
    expect(seen.headers["content-length"]).toBe(String(Buffer.byteLength(JSON.stringify(value))))
    expect(JSON.parse(seen.body.toString())).toEqual(value)
  })

  it("sends any JSON value: a list, a text, a number, null", async () => {
    for (const value of [[1, 2], "text", 7, null, {}, []])
      expect((await post(value, "application/json")).body.toString()).toBe(JSON.stringify(value))
  })

  it("sends a type with a star as its plainest member", async () => {
    expect((await post({ a: 1 }, "*/*")).headers["content-type"]).toBe("application/json")
    expect((await post("hi", "text/*")).headers["content-type"]).toBe("text/plain")
    expect((await post(PNG.toString("base64"), "image/*")).headers["content-type"]).toBe("image/png")
  })

  it("sends forms: lists repeated, objects as JSON, or as the description says", async () => {
    const type = "application/x-www-form-urlencoded"
    const value = { name: "a b&c", tags: ["x", "y"], where: { lat: 1 }, none: null, empty: "", on: true }
    const plain = await post(value, type)
    expect(plain.headers["content-type"]).toBe(type)
    expect(plain.body.toString()).toBe(
      `name=a%20b%26c&tags=x&tags=y&where=${encodeURIComponent('{"lat":1}')}&empty=&on=true`,
    )
    const encoding = {
      tags: { style: "pipeDelimited", explode: false },
      where: { style: "deepObject", explode: true },
      list: { explode: false },
      json: { contentType: "application/json" },
    } as const
    const styled = await post({ ...value, list: [1, 2], json: [1, 2] }, type, { encoding })
    expect(styled.body.toString()).toBe(
      "name=a%20b%26c&tags=x%7Cy&where%5Blat%5D=1&empty=&on=true&list=1%2C2&json=%5B1%2C2%5D",
    )
    expect(
      (await post({ items: [{ price: "p", n: 2 }] }, type, { encoding: { items: encoding.where } })).body.toString(),
    ).toBe("items%5B0%5D%5Bprice%5D=p&items%5B0%5D%5Bn%5D=2")
  })

  it("sends multipart forms with files, lists and a type for each part", async () => {
    const value = {
      id: 7,
      meta: { a: 1 },
      tags: ["x", "y"],
      photo: PNG.toString("base64"),
      docs: [{ data: "aGk=", filename: 'a"b\r\n.txt', contentType: "text/plain" }],
      note: null,
      svg: "<svg/>",
    }
    const encoding = { svg: { contentType: "image/svg+xml" } }
    const seen = await post(value, "multipart/form-data", { files: ["photo", "docs"], encoding })
    const parts = partsOf(seen)
    expect(parts.map(([name]) => name)).toEqual(["id", "meta", "tags", "tags", "photo", "docs", "svg"])
    const part = (name: string) => parts.find(([found]) => found === name)!
    expect(part("id").slice(1)).toEqual(['Content-Disposition: form-data; name="id"', "7"])
    expect(part("meta")[1]).toContain("Content-Type: application/json")
    expect(part("meta")[2]).toBe('{"a":1}')
    expect(part("photo")[1]).toBe(
      'Content-Disposition: form-data; name="photo"; filename="photo"\r\nContent-Type: image/png',
    )
    expect(Buffer.from(part("photo")[2], "latin1")).toEqual(PNG)
    expect(part("docs")[1]).toBe(
      'Content-Disposition: form-data; name="docs"; filename="a%22b%0D%0A.txt"\r\nContent-Type: text/plain',
    )
    expect(part("docs")[2]).toBe("hi")
    expect(part("svg").slice(1)).toEqual([
      'Content-Disposition: form-data; name="svg"\r\nContent-Type: image/svg+xml',
      "<svg/>",
    ])
  })

  it("is a multipart form that others can read", async () => {
    const { headers, body: bytes } = await post({ a: "ü", f: "aGk=" }, "multipart/form-data", { files: ["f"] })
    const form = await new Response(new Uint8Array(bytes), {
      headers: { "content-type": headers["content-type"]! },
    }).formData()
    expect(form.get("a")).toBe("ü")
    expect(await (form.get("f") as File).text()).toBe("hi")
  })

  it("takes the type that the description gives a part, unless the file brings its own", async () => {
    const encoding = { photo: { contentType: "image/*, image/jpeg, image/png" } }
    const photo = (value: unknown) => post({ photo: value }, "multipart/form-data", { files: ["photo"], encoding })
    expect(partsOf(await photo("aGk="))[0]![1]).toContain("Content-Type: image/jpeg")
    expect(partsOf(await photo({ data: "aGk=", contentType: "image/webp" }))[0]![1]).toContain(
      "Content-Type: image/webp",
    )
  })

  it("sends bytes: from base64, a data URL or content of the yard", async () => {
    const type = "application/octet-stream"
    const bytes = Buffer.from([0, 255, 10, 13])
    wire.blobs.set("kept", { bytes, mediaType: "image/png" })
    for (const value of [
      bytes.toString("base64"),
      bytes.toString("base64url"),
      "cid://kept",
      "data:a/b;base64,AP8KDQ==",
    ]) {
      const seen = await post(value, type)
      expect(seen.body).toEqual(bytes)
      expect(seen.headers["content-type"]).toBe(type)
    }
    expect((await post({ data: "aGk=", contentType: "image/gif" }, type)).headers["content-type"]).toBe("image/gif")
    for (const wrong of ["not base64!", 7, "cid://none", { file: "x" }])
      await expect(post(wrong, type)).rejects.toMatchObject({ code: "invalid_arguments" })
  })

  it("sends text and XML as they are written", async () => {
    expect((await post("größe\n", "text/plain")).body.toString()).toBe("größe\n")
    const xml = await post("<a>1</a>", "application/atom+xml")
    expect([xml.body.toString(), xml.headers["content-type"]]).toEqual(["<a>1</a>", "application/atom+xml"])
    await expect(post({ a: 1 }, "application/xml")).rejects.toMatchObject({ code: "invalid_arguments" })
    expect((await post([{ a: 1 }, { a: 2 }], "application/x-ndjson")).body.toString()).toBe('{"a":1}\n{"a":2}\n')
  })

  it("tells no body from an empty one", async () => {
    const optional = { ...body("application/json"), required: false }
    for (const args of [{}, { body: null }]) {
      await wire.send({ method: "POST", body: optional }, args)
      const { headers, body: bytes } = wire.seen.at(-1)!
      expect([headers["content-type"], headers["content-length"], bytes.length]).toEqual([undefined, "0", 0])
    }
    const empty = await post("", "text/plain")
    expect([empty.headers["content-type"], empty.headers["content-length"]]).toEqual(["text/plain", "0"])
    await expect(wire.send({ method: "POST", body: body("text/plain") }, {})).rejects.toMatchObject({
      code: "invalid_arguments",
    })
  })

  it("prefers the first of several types, unless a parameter asks for another", async () => {
    const first = body("application/json")
    const plan: Partial<OperationPlan> = {
      method: "PUT",
      body: { ...first, contents: [...first.contents, ...body("application/x-www-form-urlencoded").contents] },
      parameters: [parameter("header", "Content-Type", { argument: "contentType" })],
    }
    await wire.send(plan, { body: { a: 1 } })
    expect(wire.seen.at(-1)!.body.toString()).toBe('{"a":1}')
    await wire.send(plan, { body: { a: 1 }, contentType: "application/x-www-form-urlencoded" })
    expect(wire.seen.at(-1)!).toMatchObject({ headers: { "content-type": "application/x-www-form-urlencoded" } })
    expect(wire.seen.at(-1)!.body.toString()).toBe("a=1")
  })

  it("sends a form where a file is given, though the description prefers JSON", async () => {
    const contents = [
      { mediaType: "application/json", encoding: {}, files: [] },
      { mediaType: "multipart/form-data", encoding: {}, files: ["photo"] },
    ]
    const plan: Partial<OperationPlan> = { method: "POST", body: { argument: "body", required: true, contents } }
    await wire.send(plan, { body: { name: "Rex", photo: PNG.toString("base64") } })
    expect(wire.seen.at(-1)!.headers["content-type"]).toMatch(/^multipart\/form-data/)
    await wire.send(plan, { body: { name: "Rex" } })
    expect(wire.seen.at(-1)!.headers["content-type"]).toBe("application/json")
  })

  it("finds a way for what has no fields where a form is described", async () => {
    const form = body("multipart/form-data")
    const either = { ...form, contents: [...form.contents, ...body("*/*").contents] }
    await wire.send({ method: "PUT", body: either }, { body: ["a", "b"] })
    expect(wire.seen.at(-1)!.body.toString()).toBe('["a","b"]')
    const [part] = partsOf(await post("aGk=", "multipart/form-data"))
    expect(part).toEqual(["file", expect.stringContaining('filename="file"'), "hi"])
  })

  it("does not mix up a parameter and a field of the body that have the same name", async () => {
    const plan: Partial<OperationPlan> = {
      method: "PATCH",
      path: "/users/{id}",
      parameters: [parameter("path", "id")],
      body: body("application/json"),
    }
    await wire.send(plan, { id: "from-path", body: { id: "from-body" } })
    expect(wire.seen.at(-1)).toMatchObject({ url: "/users/from-path", method: "PATCH" })
    expect(JSON.parse(wire.seen.at(-1)!.body.toString())).toEqual({ id: "from-body" })
    await wire.send(
      { ...plan, body: { ...body("application/json"), argument: "requestBody" } },
      { id: "a", requestBody: [] },
    )
    expect(wire.seen.at(-1)!.body.toString()).toBe("[]")
  })

  it("sends bodies with any method that has one", async () => {
    for (const method of ["DELETE", "GET", "QUERY"]) {
      await wire.send({ method, body: body("application/json") }, { body: { q: 1 } })
      expect([wire.seen.at(-1)!.method, wire.seen.at(-1)!.body.toString()]).toEqual([method, '{"q":1}'])
    }
  })
})
