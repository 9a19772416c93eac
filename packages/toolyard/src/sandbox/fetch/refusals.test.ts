import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openFetchCase } from "./fetch-case.ts"
import type { FetchRequest } from "./message.ts"

const net = openFetchCase()
let port = 0
let seen: unknown[] = []
beforeAll(async () => {
  const server = await net.http((_, response) => response.end("inside"))
  port = server.port
  seen = server.seen
})
afterAll(() => net.close())

/** Every name there is, as an attacker's name server would have it. */
const NAMES: Record<string, string[]> = {
  "rebound.example.com": ["127.0.0.1"],
  "half.example.com": ["93.184.216.34", "127.0.0.1"],
  "six.example.com": ["::1"],
  "mapped.example.com": ["::ffff:127.0.0.1"],
  "nat64.example.com": ["64:ff9b::7f00:1"],
  "private.example.com": ["10.1.2.3"],
  "cgnat.example.com": ["100.64.1.1"],
  "metadata.google.internal": ["169.254.169.254"],
  "ec2.example.com": ["fd00:ec2::254"],
  "link.example.com": ["fe80::1%lo"],
  "nothing.example.com": ["0.0.0.0"],
  "broken.example.com": ["not an address"],
  intranet: ["192.168.0.10"],
  localhost: ["127.0.0.1"],
}
const resolve = async (host: string) => NAMES[host] ?? []
const refused = { name: "YardError", code: "fetch_refused" }

describe("T11 what a script may not fetch", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7F.0.0.1",
    "0177.0.0.1",
    "0177.0.0x1",
    "017700000001",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:0:7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "168.63.129.16",
    "224.0.0.1",
    "255.255.255.255",
    ...Object.keys(NAMES).filter(name => name !== "broken.example.com"),
    "LOCALHOST",
    "localhost.",
  ])("an internal address as %s, with every public host allowed", async host => {
    const work = net.fetch(`http://${host}:${port}/`, ["*", "example.com", "internal", "*.localhost"], { resolve })
    await expect(work).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/an internal address \(/) })
  })

  it.each([
    "file:///etc/passwd",
    "ftp://example.com/",
    "data:text/plain,x",
    "javascript:1",
    "blob:https://example.com/1",
    "ws://example.com/",
    "gopher://127.0.0.1:70/",
    "about:blank",
    "node:fs",
  ])("%s, which is neither http nor https", async url => {
    await expect(net.fetch(url, ["*"])).rejects.toMatchObject(refused)
  })

  it("a URL with credentials, which the message does not repeat", async () => {
    const error = await net.fetch("https://user:hunter2@example.com/", ["*"]).catch(error => error)
    expect(error).toMatchObject(refused)
    expect(JSON.stringify([error.message, error])).not.toMatch(/hunter2|user:/)
  })

  it("a host that only looks like the listed one", async () => {
    for (const url of [
      "http://example.com@evil.test/",
      "http://example.com.evil.test/",
      "http://evil.test\\@example.com/",
      "http://evil.test#example.com",
      "http://eⅹample.com.evil.test/",
    ]) {
      await expect(net.fetch(url, ["example.com"], { resolve })).rejects.toMatchObject(refused)
    }
  })

  it.each(["CONNECT", "TRACE", "track"])("the method %s", async method => {
    await expect(net.fetch({ url: "https://example.com/", method }, ["*"])).rejects.toMatchObject(refused)
  })

  it.each([
    "Host",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "TE",
    "Trailer",
    "Upgrade",
    "Keep-Alive",
    "Expect",
    "Proxy-Authorization",
    "proxy-connection",
  ])("the header %s", async name => {
    const request: FetchRequest = { url: `http://127.0.0.1:${port}/`, headers: [[name, "secret"]] }
    const error = await net.fetch(request, ["127.0.0.1"]).catch(error => error)
    expect(error).toMatchObject(refused)
    expect(error.message).not.toContain("secret")
  })

  it.each<[string, object]>([
    ["a URL that is none", { url: "/relative" }],
    ["no URL", {}],
    ["an invalid host", { url: "http://[::1/" }],
    ["an address out of range", { url: "http://256.256.256.256/" }],
    ["a line break in a header", { url: "http://127.0.0.1/", headers: [["x", "a\r\nhost: b"]] }],
    ["a zero byte in a header", { url: "http://127.0.0.1/", headers: [["x", "a\0"]] }],
    ["a header beyond Latin-1", { url: "http://127.0.0.1/", headers: [["x", "č"]] }],
    ["a header without a name", { url: "http://127.0.0.1/", headers: [["", "x"]] }],
    ["a header name with a colon", { url: "http://127.0.0.1/", headers: [["a: b\r\nc", "x"]] }],
    ["headers that are no list", { url: "http://127.0.0.1/", headers: { a: "b" } }],
    ["headers that are no pairs", { url: "http://127.0.0.1/", headers: ["ab"] }],
    ["101 headers", { url: "http://127.0.0.1/", headers: Array.from({ length: 101 }, () => ["x", "y"]) }],
    ["a header of 100,000 characters", { url: "http://127.0.0.1/", headers: [["x", "y".repeat(100_000)]] }],
    ["a method with a space", { url: "http://127.0.0.1/", method: "GET /x HTTP/1.1\r\n" }],
    ["a method that is no text", { url: "http://127.0.0.1/", method: 1 }],
    ["a GET with a body", { url: "http://127.0.0.1/", body: "x" }],
    ["a body that is not base64", { url: "http://127.0.0.1/", method: "POST", body: { base64: "*" } }],
    ["a body that is neither", { url: "http://127.0.0.1/", method: "POST", body: 1 }],
    ["an unknown redirect mode", { url: "http://127.0.0.1/", redirect: "always" }],
  ])("%s, and says what is wrong", async (_, request) => {
    await expect(net.fetch(request as FetchRequest, ["*", "127.0.0.1"])).rejects.toMatchObject({
      code: "invalid_arguments",
    })
  })

  it("any host when nothing is allowed; the refusal names it and says where to add it", async () => {
    await expect(net.fetch("https://api.example.com/v1?key=secret", [])).rejects.toMatchObject({
      ...refused,
      message: "api.example.com is not among the hosts that may be fetched from",
      hint: 'To allow it, add "api.example.com" to `sandbox.network`, or to `network` of the server it is for, in toolyard.json.',
      data: { host: "api.example.com" },
    })
  })

  it("an internal address behind a listed parent; the refusal names both and the entry", async () => {
    const error = await net.fetch("http://private.example.com/", ["example.com"], { resolve }).catch(error => error)
    expect(error.message).toBe(
      'private.example.com is at 10.1.2.3, an internal address (private); "example.com" in sandbox.network opens public ones only',
    )
    expect(error).toMatchObject({ data: { host: "private.example.com", address: "10.1.2.3" } })
    expect(error.hint).toContain('add "private.example.com" itself')
  })

  it("a name whose second answer is an internal address: every connection asks and checks anew", async () => {
    const answers = [["93.184.216.34"], ["127.0.0.1"]]
    const ended = new AbortController()
    const rebinding = async () => {
      // The first answer is fine; the request is given up before anything is sent there.
      ended.abort()
      return answers.shift() ?? []
    }
    const url = `http://rebinding.example.com:${port}/`
    const first = net.fetch(url, ["example.com"], { resolve: rebinding, signal: ended.signal })
    await expect(first).rejects.toMatchObject({ code: "cancelled" })
    await expect(net.fetch(url, ["example.com"], { resolve: rebinding })).rejects.toMatchObject(refused)
    expect(answers).toEqual([])
  })

  it("anything that the URL parser takes for an internal address, however it is spelled", async () => {
    const byte = fc.integer({ min: 0, max: 255 })
    const internal = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
      fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
    )
    const radix = fc.constantFrom(
      (n: number) => String(n),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0X${n.toString(16).toUpperCase()}`,
      (n: number) => `0${n.toString(8)}`,
      (n: number) => `000${n.toString(8)}`,
    )
    const spelling = fc.constantFrom(
      (host: string) => host,
      (host: string) => `${host}.`,
      (host: string) => host.replace(/\d/, digit => `%3${digit}`),
      (host: string) => host.replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
      (host: string) => host.replaceAll(".", "。"),
      (host: string) => `\u00ad${host}`,
    )
    const form = fc.tuple(
      internal,
      fc.integer({ min: 1, max: 6 }),
      fc.array(radix, { minLength: 4, maxLength: 4 }),
      spelling,
    )
    await fc.assert(
      fc.asyncProperty(form, fc.constantFrom("http", "https", "HTTP"), async ([bytes, parts, write, spell], scheme) => {
        const [a, b, c, d] = bytes
        const rest = [0, 0, (b << 16) + (c << 8) + d, (c << 8) + d, d]
        const numbers =
          parts === 1
            ? [a * 2 ** 24 + rest[2]!]
            : [...bytes.slice(0, Math.min(parts, 4) - 1), rest[Math.min(parts, 4)]!]
        const plain = numbers.map((n, i) => write[i]!(n)).join(".")
        const host =
          parts === 5 ? `[::ffff:${a}.${b}.${c}.${d}]` : parts === 6 ? `[64:ff9b::${a}.${b}.${c}.${d}]` : spell(plain)
        const url = `${scheme}://${host}:${port}/`
        expect(URL.canParse(url), url).toBe(true)
        await expect(net.fetch(url, ["*"], { resolve }), url).rejects.toMatchObject(refused)
      }),
      { numRuns: 1000 },
    )
  })

  it("and none of these attempts reached the server inside", () => {
    expect(seen).toEqual([])
  })
})
