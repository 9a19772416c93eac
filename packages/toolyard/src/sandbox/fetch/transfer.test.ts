import type { IncomingMessage, ServerResponse } from "node:http"
import { networkInterfaces } from "node:os"
import { brotliCompressSync, createGzip, gzipSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { allowList } from "./allow-list.ts"
import { type FetchCase, openFetchCase } from "./fetch-case.ts"
import { createGuardedFetch } from "./guarded-fetch.ts"

let net: FetchCase
beforeEach(() => {
  net = openFetchCase()
})
afterEach(() => net.close())

/** Machines without IPv6 have no address to listen on. */
const HAS_IPV6 = Object.values(networkInterfaces()).some(list => list?.some(({ address }) => address === "::1"))
const resolve = async (host: string) => (host.endsWith(".test") ? ["127.0.0.1"] : [])
/** Answers with what it was asked, headers and body included. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ""
  for await (const chunk of request) body += chunk
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
}
const textOf = ({ body }: { body: object }) => (body as { text: string }).text
const echoed = (response: { body: object }) => JSON.parse(textOf(response))

describe("a fetch that is allowed", () => {
  it("B10 gives status, headers and body as plain JSON", async () => {
    const { port } = await net.http((_, response) => {
      response.writeHead(201, "Made", { "X-One": "1", "set-cookie": ["a=1", "b=2"] })
      response.end("žluť")
    })
    const answer = await net.fetch(`http://127.0.0.1:${port}/a?b#c`, ["127.0.0.1"])
    expect(answer).toMatchObject({ status: 201, statusText: "Made", redirected: false, body: { text: "žluť" } })
    expect(answer.url).toBe(`http://127.0.0.1:${port}/a?b`)
    expect(answer.headers.filter(([name]) => name === "set-cookie")).toEqual([
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ])
    expect(answer.headers).toContainEqual(["x-one", "1"])
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer)
  })

  it("sends method, headers and body, and nothing of the hub's own", async () => {
    const { port } = await net.http(echo)
    process.env.http_proxy = "http://127.0.0.1:1"
    try {
      const url = `http://127.0.0.1:${port}/x`
      const headers: [string, string][] = [["X-A", "1"]]
      const answer = echoed(await net.fetch({ url, method: "post", headers, body: "hello" }, ["127.0.0.1"]))
      expect(answer).toMatchObject({ method: "POST", url: "/x", body: "hello" })
      expect(answer.headers).toEqual({
        host: `127.0.0.1:${port}`,
        connection: "close",
        accept: "*/*",
        "accept-encoding": "gzip, br",
        "content-length": "5",
        "content-type": "text/plain;charset=UTF-8",
        "user-agent": "toolyard",
        "x-a": "1",
      })
    } finally {
      delete process.env.http_proxy
    }
  })

  it("carries bytes that are not text as base64, both ways", async () => {
    const bytes = Buffer.from([0, 255, 254, 128, 10])
    const { port } = await net.http((request, response) => request.pipe(response))
    const request = { url: `http://127.0.0.1:${port}/`, method: "PUT", body: { base64: bytes.toString("base64") } }
    expect((await net.fetch(request, ["127.0.0.1"])).body).toEqual({ base64: bytes.toString("base64") })
  })

  it("reaches an internal host by its name, when that very name is listed, asking for the address once", async () => {
    const { port } = await net.http(echo)
    const asked: string[] = []
    const counting = async (host: string) => {
      asked.push(host)
      return ["127.0.0.1"]
    }
    const answer = await net.fetch(`http://Intra.Test.:${port}/`, ["intra.test"], { resolve: counting })
    expect(echoed(answer).headers.host).toBe(`intra.test:${port}`)
    expect(asked).toEqual(["intra.test"])
  })

  it.skipIf(!HAS_IPV6)("reaches an IPv6 address that is listed, and refuses it where it is not", async () => {
    const { port } = await net.http(echo, "::1")
    const answer = await net.fetch(`http://[0:0::1]:${port}/`, ["[::1]"])
    expect(echoed(answer).headers.host).toBe(`[::1]:${port}`)
    await expect(net.fetch(`http://[::1]:${port}/`, ["*"])).rejects.toMatchObject({ code: "fetch_refused" })
  })

  it.each([
    ["gzip", gzipSync("packed")],
    ["br", brotliCompressSync("packed")],
    ["gzip, br", brotliCompressSync(gzipSync("packed"))],
  ])("unpacks %s", async (encoding, bytes) => {
    const { port } = await net.http((_, response) => response.setHeader("content-encoding", encoding).end(bytes))
    expect(textOf(await net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"]))).toBe("packed")
  })

  it.each(["HEAD", "GET"])("takes an empty packed answer to %s for what it is", async method => {
    const { port } = await net.http((request, response) => {
      response.writeHead(request.method === "HEAD" ? 200 : 204, { "content-encoding": "gzip" }).end()
    })
    const answer = await net.fetch({ url: `http://127.0.0.1:${port}/`, method }, ["127.0.0.1"])
    expect(answer.body).toEqual({ text: "" })
  })

  it("opens a connection for each fetch, and leaves none", async () => {
    const { port, seen } = await net.http((_, response) => response.end("x"))
    await net.fetch(`http://127.0.0.1:${port}/1`, ["127.0.0.1"])
    await net.fetch(`http://127.0.0.1:${port}/2`, ["127.0.0.1"])
    expect(new Set(seen.map(request => request.socket)).size).toBe(2)
    await net.idle()
  })
})

describe("redirects", () => {
  /** Redirects `/STATUS?TARGET` to the target, and echoes everything else. */
  async function redirecting(): Promise<number> {
    const { port } = await net.http((request, response) => {
      const [, status, target = ""] = request.url?.match(/^\/(3\d\d)\?(.*)$/) ?? []
      if (!status) return void echo(request, response)
      response.writeHead(Number(status), { location: decodeURIComponent(target) }).end("moved")
    })
    return port
  }

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [301, "PUT", "PUT", "data"],
    [307, "POST", "POST", "data"],
    [308, "PATCH", "PATCH", "data"],
  ])("%i turns %s into %s", async (status, method, then, body) => {
    const port = await redirecting()
    const headers: [string, string][] = [
      ["content-type", "text/x"],
      ["authorization", "me"],
    ]
    const answer = await net.fetch({ url: `http://127.0.0.1:${port}/${status}?/end`, method, headers, body: "data" }, [
      "127.0.0.1",
    ])
    expect(answer).toMatchObject({ redirected: true, url: `http://127.0.0.1:${port}/end` })
    expect(echoed(answer)).toMatchObject({ method: then, body, headers: { authorization: "me" } })
    expect(echoed(answer).headers["content-type"]).toBe(body === "" ? undefined : "text/x")
  })

  it("drop what is secret when they lead to another origin, also on the way back", async () => {
    const port = await redirecting()
    const back = encodeURIComponent(`http://a.test:${port}/end`)
    const url = `http://a.test:${port}/307?${encodeURIComponent(`http://b.test:${port}/307?${back}`)}`
    const headers: [string, string][] = [
      ["Authorization", "me"],
      ["Cookie", "c=1"],
      ["X-Kept", "1"],
    ]
    const answer = echoed(await net.fetch({ url, headers }, ["a.test", "b.test"], { resolve }))
    expect(answer.headers).toMatchObject({ "x-kept": "1", host: `a.test:${port}` })
    expect(answer.headers).not.toHaveProperty("authorization")
    expect(answer.headers).not.toHaveProperty("cookie")
  })

  it.each([
    ["to a host that is not listed", "http://evil.test/"],
    ["to an internal address", "http://169.254.169.254/latest/meta-data/"],
    ["to an internal address in disguise", "http://0x7f.1/"],
    ["to an internal name below a listed domain", "http://inner.listed.test/"],
    ["to a file", "file:///etc/passwd"],
    ["to a URL with credentials", "http://a:b@a.test/"],
    ["without a scheme to another host", "//evil.test/"],
  ])("T11 are refused %s", async (_, target) => {
    const port = await redirecting()
    const url = `http://a.test:${port}/302?${encodeURIComponent(target)}`
    await expect(net.fetch(url, ["a.test", "listed.test", "*"], { resolve })).rejects.toMatchObject({
      code: "fetch_refused",
    })
  })

  it("end after five, loops included", async () => {
    const port = await redirecting()
    const { port: loop, seen } = await net.http((_, response) => response.writeHead(302, { location: "/" }).end())
    await expect(net.fetch(`http://127.0.0.1:${loop}/`, ["127.0.0.1"])).rejects.toMatchObject({
      code: "fetch_failed",
      message: `could not fetch from 127.0.0.1:${loop}: more than 5 redirects`,
    })
    expect(seen.length).toBe(6)
    const url = `http://127.0.0.1:${port}/302?/end`
    expect(await net.fetch(url, ["127.0.0.1"], { maxRedirects: 1 })).toMatchObject({ status: 200 })
    await expect(net.fetch(url, ["127.0.0.1"], { maxRedirects: 0 })).rejects.toMatchObject({ code: "fetch_failed" })
  })

  it("are given as they are, or refused, when the request says so", async () => {
    const port = await redirecting()
    const url = `http://127.0.0.1:${port}/302?/end`
    expect(await net.fetch({ url, redirect: "manual" }, ["127.0.0.1"])).toMatchObject({
      status: 302,
      body: { text: "moved" },
    })
    await expect(net.fetch({ url, redirect: "error" }, ["127.0.0.1"])).rejects.toMatchObject({ code: "fetch_failed" })
  })

  it("fail when they lead to what is not a URL", async () => {
    const port = await redirecting()
    const url = `http://127.0.0.1:${port}/302?${encodeURIComponent("http://[")}`
    await expect(net.fetch(url, ["127.0.0.1"])).rejects.toMatchObject({ code: "fetch_failed" })
  })

  it("count as an answer without a location", async () => {
    const { port } = await net.http((_, response) => response.writeHead(304).end())
    expect(await net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"])).toMatchObject({
      status: 304,
      redirected: false,
    })
  })
})

describe("limits", () => {
  const zeros = Buffer.alloc(1_000_000)

  it("T11 stop a response that has no end", async () => {
    const { port } = await net.http((_, response) => {
      const more = () => response.write(zeros.subarray(0, 10_000), () => response.destroyed || more())
      more()
    })
    const work = net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"])
    await expect(work).rejects.toMatchObject({ code: "limit_result", data: { maxBytes: 100_000 } })
  })

  it("T11 stop a bomb of packed zeros at the cap, without unpacking the rest", async () => {
    const { port } = await net.http((_, response) => {
      response.setHeader("content-encoding", "gzip")
      const gzip = createGzip()
      gzip.pipe(response)
      const more = () => gzip.write(zeros, () => response.destroyed || more())
      more()
    })
    const work = net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"])
    await expect(work).rejects.toMatchObject({ code: "limit_result" })
  })

  it("pass exactly the cap, and not a byte more", async () => {
    const { port } = await net.http((request, response) => response.end("x".repeat(Number(request.url?.slice(1)))))
    const at = (size: number) => net.fetch(`http://127.0.0.1:${port}/${size}`, ["127.0.0.1"], { maxBytes: 5000 })
    expect(textOf(await at(5000)).length).toBe(5000)
    await expect(at(5001)).rejects.toMatchObject({ code: "limit_result" })
  })

  it("hold for what is sent", async () => {
    const request = { url: "http://127.0.0.1:9/", method: "POST", body: "x".repeat(100_001) }
    await expect(net.fetch(request, ["127.0.0.1"])).rejects.toMatchObject({ code: "limit_result" })
  })

  it("refuse a response packed again and again", async () => {
    const { port } = await net.http((_, response) => {
      response.setHeader("content-encoding", "gzip, gzip, gzip").end(gzipSync(gzipSync(gzipSync("x"))))
    })
    await expect(net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"])).rejects.toMatchObject({ code: "fetch_failed" })
  })

  it.each(["silence", "headers only", "a byte now and then", "redirects"])(
    "end a server that answers with %s",
    async kind => {
      const { port } = await net.http((_, response) => {
        if (kind === "headers only") response.flushHeaders()
        if (kind === "redirects") setTimeout(() => response.writeHead(302, { location: "/" }).end(), 40)
        if (kind !== "a byte now and then") return
        const drip = setInterval(() => response.write("."), 10)
        response.on("close", () => clearInterval(drip))
      })
      const work = net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"], { timeoutMs: 150 })
      await expect(work).rejects.toMatchObject({
        code: "timeout",
        message: "the fetch from 127.0.0.1 took more than 150 ms",
      })
      await net.idle()
    },
  )

  it("end a name server that never answers", async () => {
    const silent = () => new Promise<string[]>(() => {})
    const work = net.fetch("http://a.test/", ["a.test"], { timeoutMs: 50, resolve: silent })
    await expect(work).rejects.toMatchObject({ code: "timeout" })
  })
})

describe("failures", () => {
  it.each([
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["nothing", ""],
    ["half of a status line", "HTTP/1.1 20"],
    ["less than it announced", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsecret"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 6\r\n\r\nsecret"],
    ["a broken chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nsecret\r\n"],
    ["a broken header", "HTTP/1.1 200 OK\r\nx: \0secret\r\n\r\n"],
    ["endless headers", `HTTP/1.1 200 OK\r\n${"x: secret\r\n".repeat(20_000)}`],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"],
    ["what is not gzip", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nsecret"],
    [
      "half of a gzip",
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n${gzipSync("secret").toString("latin1").slice(0, 15)}`,
    ],
  ])("a server that sends %s is named, its words are not", async (_, bytes) => {
    const { port } = await net.tcp(socket => socket.once("data", () => socket.end(bytes, "latin1")))
    const error = await net.fetch(`http://127.0.0.1:${port}/?key=hidden`, ["127.0.0.1"]).catch(error => error)
    expect(error).toMatchObject({ code: "fetch_failed", data: { host: "127.0.0.1" } })
    expect(error.message).toMatch(new RegExp(`^could not fetch from 127.0.0.1:${port}: .`))
    expect(JSON.stringify([error.message, error.hint, error, String(error.cause)])).not.toMatch(/secret|hidden/)
  })

  it("a name nobody knows, and a port nobody listens on", async () => {
    await expect(net.fetch("http://nobody.example/", ["*"], { resolve })).rejects.toMatchObject({
      code: "fetch_failed",
      message: "could not fetch from nobody.example: the name is not known (ENOTFOUND)",
    })
    const { port } = await net.tcp(() => {})
    await net.close()
    await expect(net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"])).rejects.toMatchObject({ code: "fetch_failed" })
  })

  it("https where none is spoken", async () => {
    const { port } = await net.http(echo)
    await expect(net.fetch(`https://127.0.0.1:${port}/`, ["127.0.0.1"])).rejects.toMatchObject({ code: "fetch_failed" })
  })
})

describe("the end of a fetch", () => {
  it.each(["/silence", "/half"])("comes at once when it is cancelled, and its socket goes (%s)", async path => {
    const ended = new AbortController()
    const { port } = await net.http((request, response) => {
      if (request.url === "/half") response.write("half")
      setImmediate(() => ended.abort())
    })
    const work = net.fetch(`http://127.0.0.1:${port}${path}`, ["127.0.0.1"], { signal: ended.signal })
    await expect(work).rejects.toMatchObject({ code: "cancelled" })
    await net.idle()
  })

  it("comes before anything is sent, when it was cancelled already", async () => {
    const { port, seen } = await net.http(echo)
    const work = net.fetch(`http://127.0.0.1:${port}/`, ["127.0.0.1"], { signal: AbortSignal.abort() })
    await expect(work).rejects.toMatchObject({ code: "cancelled" })
    expect(seen).toEqual([])
  })

  it("comes for all of them when the hub stops; later ones are not begun", async () => {
    const guarded = createGuardedFetch({ timeoutMs: 10_000, maxBytes: 1000 })
    const arrived = Promise.withResolvers<void>()
    const { port, seen } = await net.http(() => {
      if (seen.length === 2) arrived.resolve()
    })
    const allow = allowList([{ host: "127.0.0.1", from: "sandbox.network" }])
    const start = () => guarded.fetch({ url: `http://127.0.0.1:${port}/` }, allow, new AbortController().signal)
    const work = [start(), start()].map(one => one.catch(error => error.code))
    await arrived.promise
    await guarded.close()
    expect(await Promise.all(work)).toEqual(["cancelled", "cancelled"])
    await expect(start()).rejects.toMatchObject({ code: "cancelled", message: "toolyard is stopping" })
    expect(seen.length).toBe(2)
    await net.idle()
  })
})
