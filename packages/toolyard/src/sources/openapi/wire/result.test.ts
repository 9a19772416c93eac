import { gzipSync } from "node:zlib"
import { afterEach, describe, expect, it } from "vitest"
import { YardError } from "../../../model/errors.ts"
import { toJsonText } from "../../../model/json.ts"
import { WRAPPED } from "../../../model/mcp.ts"
import type { ToolResult } from "../../../model/source.ts"
import { type CaseOptions, ListeningCall, openWireCase, textOf, type WireCase } from "./wire-case.ts"

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0123", "latin1")

describe("an answer as a result", () => {
  const opened: WireCase[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(wire => wire.close()))
  })
  const answered = async (
    status: number,
    headers: Record<string, string>,
    body: string | Buffer = "",
    options: CaseOptions & { method?: string } = {},
  ): Promise<{ result: ToolResult; wire: WireCase }> => {
    const wire = await openWireCase((_request, response) => response.writeHead(status, headers).end(body))
    opened.push(wire)
    return { result: await wire.send({ path: "/pets/9", method: options.method ?? "POST" }, {}, options), wire }
  }
  const json = { "content-type": "application/json; charset=utf-8" }

  it("gives a JSON object as structure and as the text that came", async () => {
    const { result } = await answered(200, json, '{ "id": 1, "tag": null }')
    expect(result).toEqual({
      content: [{ type: "text", text: '{ "id": 1, "tag": null }' }],
      structuredContent: { id: 1, tag: null },
    })
  })

  it("keeps numbers that JavaScript can't hold, digit by digit", async () => {
    const { result } = await answered(200, json, '{"id":12345678901234567890}')
    expect(textOf(result)).toBe('{"id":12345678901234567890}')
    expect(toJsonText(result)).toContain('"structuredContent":{"id":12345678901234567890}')
    expect(JSON.parse(toJsonText(result))).toEqual(result)
  })

  it("gives lists and single values as JSON text", async () => {
    for (const text of ["[1,2]", '"x"', "7", "null", "false"]) {
      const { result } = await answered(200, { "content-type": "application/problem+json" }, text)
      expect(result).toEqual({ content: [{ type: "text", text }] })
    }
  })

  it("gives a tool that said it gives an object something that fits, whatever comes", async () => {
    const givesObject = true
    expect((await answered(200, json, "[1]", { givesObject })).result).toMatchObject({
      structuredContent: { result: [1] },
      _meta: { [WRAPPED]: true },
    })
    expect((await answered(204, {}, "", { givesObject })).result).toMatchObject({ structuredContent: {} })
    expect((await answered(200, { "content-type": "image/png" }, PNG, { givesObject })).result).toMatchObject({
      structuredContent: {},
    })
    const html = await answered(200, { "content-type": "text/html" }, "<h1>Log in</h1>", { givesObject })
    expect(html.result.isError).toBe(true)
    expect(textOf(html.result)).toContain("<h1>Log in</h1>")
  })

  it("gives text as text, in its charset, also when it is called octets or not called anything", async () => {
    expect(textOf((await answered(200, { "content-type": "text/csv" }, "a,b\n")).result)).toBe("a,b\n")
    const latin = Buffer.from("größe", "latin1")
    expect(textOf((await answered(200, { "content-type": "text/plain; charset=iso-8859-1" }, latin)).result)).toBe(
      "größe",
    )
    expect(textOf((await answered(200, { "content-type": "application/octet-stream" }, "# Hi")).result)).toBe("# Hi")
    expect((await answered(200, {}, '{"a":1}')).result).toMatchObject({ structuredContent: { a: 1 } })
    expect(textOf((await answered(200, { "content-type": "image/svg+xml" }, "<svg/>")).result)).toBe("<svg/>")
  })

  it("unpacks what is compressed", async () => {
    const headers = { ...json, "content-encoding": "gzip" }
    expect((await answered(200, headers, gzipSync('{"a":1}'))).result.structuredContent).toEqual({ a: 1 })
  })

  it("gives pictures and sound as such while they are small", async () => {
    expect((await answered(200, { "content-type": "image/png" }, PNG)).result).toEqual({
      content: [{ type: "image", data: PNG.toString("base64"), mimeType: "image/png" }],
    })
    expect((await answered(200, { "content-type": "audio/mpeg" }, Buffer.from([255, 1]))).result).toMatchObject({
      content: [{ type: "audio", mimeType: "audio/mpeg" }],
    })
    expect((await answered(200, { "content-type": "application/octet-stream" }, PNG)).result).toMatchObject({
      content: [{ type: "image", mimeType: "image/png" }],
    })
  })

  it("keeps any other bytes, and large pictures, as content of the yard", async () => {
    const zip = Buffer.from([0x50, 0x4b, 3, 4, 255, 0])
    const headers = { "content-type": "application/zip", "content-disposition": 'attachment; filename="all.zip"' }
    const { result, wire } = await answered(200, headers, zip)
    const link = { type: "resource_link", uri: "cid://blob-1", name: "all.zip", mimeType: "application/zip", size: 6 }
    expect(result).toEqual({ content: [link] })
    expect(wire.blobs.get("blob-1")).toEqual({ bytes: zip, mediaType: "application/zip" })
    const large = Buffer.concat([PNG, Buffer.alloc(1_000_001)])
    expect((await answered(200, { "content-type": "image/png" }, large)).result).toMatchObject({
      content: [{ type: "resource_link", name: "9", size: large.length }],
    })
  })

  it("says so when there is no content, and where the new thing is", async () => {
    expect(textOf((await answered(204, {})).result)).toBe("(no content)")
    expect(textOf((await answered(201, { location: "/pets/10" })).result)).toBe("(no content)\nlocation: /pets/10")
    expect(textOf((await answered(200, { "x-total": "5" }, "", { method: "HEAD" })).result)).toMatch(
      /^200 OK\n(?:.|\n)*x-total: 5/,
    )
  })

  it.each([400, 404, 422, 500, 502])("makes a %i an error with the status and the body", async status => {
    const { result, wire } = await answered(status, json, '{"error":"no such pet"}')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(`POST ${wire.origin}/pets/9: ${status} `)
    expect(textOf(result)).toContain('{"error":"no such pet"}')
  })

  it("cuts a long error and keeps the whole", async () => {
    const { result, wire } = await answered(500, { "content-type": "text/html" }, `<p>${"x".repeat(10_000)}</p>`)
    expect(textOf(result).length).toBeLessThan(4200)
    expect(result.content).toContainEqual(
      expect.objectContaining({ type: "resource_link", uri: "cid://blob-1", size: 10_007 }),
    )
    expect(wire.blobs.get("blob-1")?.bytes).toHaveLength(10_007)
  })

  it("makes what says it is JSON and is none an error with the body", async () => {
    const { result } = await answered(200, json, "<html>Bad gateway</html>")
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain("<html>Bad gateway</html>")
  })

  it("does not read an answer without end", async () => {
    const wire = await openWireCase((_request, response) => {
      const more = (): void => {
        while (response.writable && response.write(Buffer.alloc(1_000_000, "x")));
      }
      response.on("drain", more)
      more()
    })
    opened.push(wire)
    const result = await wire.send({ method: "POST" })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain("larger than 50 MB")
  })

  it("passes on events as they come, and collects them", async () => {
    const wire = await openWireCase((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(': hello\nevent: a\ndata: {"n":1}\n\ndata: two\r\ndata: lines\r\n\r\nid: 3\nda')
      response.end('ta:{"n":2}\n\ndata: [DONE]\n\n')
    })
    opened.push(wire)
    const call = new ListeningCall()
    const result = await wire.send({ method: "POST" }, {}, { call })
    expect(textOf(result)).toBe('{"n":1}\ntwo\nlines\n{"n":2}')
    expect(call.heard).toEqual([
      { progress: 1, message: '{"n":1}' },
      { progress: 2, message: "two\nlines" },
      { progress: 3, message: '{"n":2}' },
    ])
  })

  it("collects JSON lines, across pieces that cut characters in two", async () => {
    const wire = await openWireCase((_request, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" })
      const bytes = Buffer.from('{"a":"ü"}\n{"a":"😀"}')
      response.write(bytes.subarray(0, 7))
      setImmediate(() => response.end(bytes.subarray(7)))
    })
    opened.push(wire)
    expect(textOf(await wire.send({}))).toBe('{"a":"ü"}\n{"a":"😀"}')
  })

  it("ends a stream that goes on for ever, and says so", async () => {
    const wire = await openWireCase((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n")
    })
    opened.push(wire)
    const result = await wire.send({}, {}, { streamMs: 100 })
    expect(textOf(result)).toMatch(/^first\n\(The stream was ended/)
    const flood = await openWireCase((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (let i = 0; i < 2000; i++) response.write(`data: ${i}\n\n`)
    })
    opened.push(flood)
    expect(textOf(await flood.send({}))).toMatch(/\n999\n\(The stream was ended after 1000 parts/)
  })

  it.each(["before the answer", "in the middle of it"])("ends at once when the caller leaves %s", async when => {
    const call = new ListeningCall()
    const reason = new YardError("timeout", "took too long")
    const wire = await openWireCase((_request, response) => {
      if (when !== "before the answer") response.writeHead(200, { "content-length": "100" }).write("part")
      setImmediate(() => call.abort(reason))
    })
    opened.push(wire)
    await expect(wire.send({}, {}, { call })).rejects.toBe(reason)
  })
})
