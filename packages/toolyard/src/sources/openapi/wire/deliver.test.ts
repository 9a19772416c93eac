import { afterEach, describe, expect, it } from "vitest"
import { YardError } from "../../../model/errors.ts"
import { body, ListeningCall, openWireCase, parameter, type Respond, textOf, type WireCase } from "./wire-case.ts"

describe("delivering a request", () => {
  const opened: WireCase[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(wire => wire.close()))
  })
  const open = async (respond: Respond): Promise<WireCase> => {
    const wire = await openWireCase(respond)
    opened.push(wire)
    return wire
  }
  const busy = (times: number, status = 429, retryAfter = "0"): Promise<WireCase> =>
    open((_request, response, index) =>
      index < times ? response.writeHead(status, { "retry-after": retryAfter }).end("busy") : response.end("done"),
    )

  it.each(["GET", "PUT", "DELETE"])("repeats a %s that met a busy server, when it says so", async method => {
    for (const status of [429, 503]) {
      const wire = await busy(2, status)
      const result = await wire.send({ method, body: { ...body("text/plain"), required: false } }, { body: "again" })
      expect(textOf(result)).toBe("done")
      expect(wire.seen.map(seen => [seen.method, seen.body.toString()])).toEqual(Array(3).fill([method, "again"]))
    }
  })

  it("understands a date, and gives up after three more times", async () => {
    const wire = await busy(10, 503, new Date(Date.now() - 1000).toUTCString())
    const result = await wire.send({})
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/503 Service Unavailable(?:.|\n)*Retry-After(?:.|\n)*busy/)
    expect(wire.seen).toHaveLength(4)
  })

  it("never repeats a POST or PATCH, nor any other error", async () => {
    for (const method of ["POST", "PATCH"]) {
      const wire = await busy(1)
      expect(textOf(await wire.send({ method }))).toContain("429")
      expect(wire.seen).toHaveLength(1)
    }
    const wire = await busy(1, 500)
    expect((await wire.send({})).isError).toBe(true)
    expect(wire.seen).toHaveLength(1)
  })

  it("does not wait where it would be long: it says when to come back", async () => {
    const wire = await busy(1, 429, "3600")
    expect(textOf(await wire.send({}))).toContain("Retry-After: 3600")
    expect(wire.seen).toHaveLength(1)
  })

  it("stops waiting when the caller leaves", async () => {
    const call = new ListeningCall()
    const reason = new YardError("cancelled", "left")
    const wire = await open((_request, response) => {
      response.writeHead(429, { "retry-after": "15" }).end(() => setTimeout(() => call.abort(reason), 20))
    })
    await expect(wire.send({}, {}, { call })).rejects.toBe(reason)
    expect(wire.seen).toHaveLength(1)
  })

  it("tries again when a kept connection was closed, but not what may have had its effect", async () => {
    const cut: Respond = (_request, response, index) => (index === 0 ? response.destroy() : response.end("done"))
    expect(textOf(await (await open(cut)).send({}))).toBe("done")
    const wire = await open(cut)
    await expect(wire.send({ method: "POST" })).rejects.toMatchObject({ code: "fetch_failed" })
    expect(wire.seen).toHaveLength(1)
  })

  it("follows redirects on the same host, with all that was sent", async () => {
    const wire = await open((_request, response, index) =>
      index === 0 ? response.writeHead(307, { location: "/new?x=1" }).end() : response.end("moved"),
    )
    const plan = { method: "POST", body: body("text/plain"), parameters: [parameter("header", "X-A")] }
    expect(textOf(await wire.send(plan, { body: "b", "X-A": "1" }))).toBe("moved")
    expect(wire.seen[1]).toMatchObject({ method: "POST", url: "/new?x=1", headers: { "x-a": "1" } })
    expect(wire.seen[1]!.body.toString()).toBe("b")
  })

  it("asks with GET after a 303, without the body", async () => {
    const wire = await open((_request, response, index) =>
      index === 0 ? response.writeHead(303, { location: "/result" }).end() : response.end("result"),
    )
    expect(textOf(await wire.send({ method: "POST", body: body("text/plain") }, { body: "b" }))).toBe("result")
    expect(wire.seen[1]!.method).toBe("GET")
    expect(wire.seen[1]!.headers).not.toHaveProperty("content-type")
  })

  it("does not follow a redirect to another host or port, and says where it would have led", async () => {
    const other = await open((_request, response) => response.end("stolen"))
    const wire = await open((_request, response) => response.writeHead(302, { location: `${other.origin}/x` }).end())
    const result = await wire.send({})
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(`It redirects to ${other.origin}/x`)
    expect(other.seen).toEqual([])
  })

  it("ends when redirects go round in circles", async () => {
    const wire = await open((_request, response) => response.writeHead(302, { location: "/" }).end())
    expect((await wire.send({})).isError).toBe(true)
    expect(wire.seen).toHaveLength(6)
  })

  it("fails with a typed error where nobody listens", async () => {
    const wire = await open((_request, response) => response.end())
    await wire.close()
    opened.pop()
    await expect(wire.send({})).rejects.toMatchObject({ code: "fetch_failed", message: /ECONNREFUSED/ })
  })

  it("does not reach what is inside for a host that nobody named: by number, by name, by a name that lies", async () => {
    const wire = await open((_request, response) => response.end("inside"))
    const transport = { trusts: () => false, resolve: async () => ["203.0.113.9", "127.0.0.1"] }
    await expect(wire.send({}, {}, { transport })).rejects.toMatchObject({ code: "fetch_refused" })
    const { port } = new URL(wire.origin)
    for (const host of ["api.example.com", "localhost", "[::1]", "169.254.169.254", "0x7f000001"])
      await expect(wire.send({}, {}, { transport, server: `http://${host}:${port}` })).rejects.toMatchObject({
        code: "fetch_refused",
      })
    expect(wire.seen).toEqual([])
  })
})
