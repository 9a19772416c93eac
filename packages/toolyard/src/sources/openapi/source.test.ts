import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Call } from "../../model/call.ts"
import { SERVER_DEFAULTS, type ServerConfig } from "../../model/config.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Source, SourceHealth } from "../../model/source.ts"
import { describeSource, memoryCache, testContext } from "../source.contract.ts"
import { OpenApiSource } from "./source.ts"

const call = () => new Call({ surface: "library", principal: "test" })

function specOf(server: string | undefined, paths: JsonObject, more: JsonObject = {}): string {
  const servers = server === undefined ? {} : { servers: [{ url: server }] }
  return JSON.stringify({ openapi: "3.1.0", info: { title: "Test API", version: "7" }, ...servers, paths, ...more })
}
const operation = (operationId: string, more: JsonObject = {}): JsonObject => ({
  operationId,
  responses: { 200: { description: "ok" } },
  ...more,
})
const PATHS = {
  "/echo": { get: operation("echo", { parameters: [{ name: "text", in: "query", schema: { type: "string" } }] }) },
  "/events": { get: operation("events") },
  "/slow": { get: operation("slow") },
  "/missing": { get: operation("missing") },
}

let folder: string
let server: Server
let origin: string
let seen: string[]
let respond: RequestListener

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolyard-openapi-"))
  seen = []
  respond = (_request, response) => response.writeHead(404).end()
  server = createServer((request, response) => {
    seen.push(request.url!)
    const url = new URL(request.url!, "http://x")
    if (url.pathname === "/echo") response.end(url.searchParams.get("text"))
    else if (url.pathname === "/events")
      response.writeHead(200, { "content-type": "text/event-stream" }).end("data: 1\n\ndata: 2\n\n")
    else if (url.pathname === "/slow") response.flushHeaders()
    else respond(request, response)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise(done => server.close(done))
  await rm(folder, { recursive: true, force: true })
})

function configOf(entry: JsonObject, more: Partial<ServerConfig> = {}): ServerConfig {
  return { ...SERVER_DEFAULTS, name: "api", entry: { type: "openapi", ...entry }, hash: "h", ...more }
}

async function write(text: string, name = "api.json"): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

describeSource("openapi", {
  open: async () => new OpenApiSource(configOf({ spec: await write(specOf(origin, PATHS)) })),
  openBroken: () => new OpenApiSource(configOf({ spec: join(folder, "none.yaml") })),
  echo: { tool: "echo", args: { text: "hello there" }, text: "hello there" },
  progress: { tool: "events", args: {} },
  slow: { tool: "slow", args: {} },
  failing: { tool: "missing", args: {} },
})

describe("an OpenAPI description as a server", () => {
  const opened: Source[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(source => source.close()))
  })
  const cache = memoryCache()
  const open = async (entry: JsonObject, more: Partial<ServerConfig> = {}): Promise<Source> => {
    const source = new OpenApiSource(configOf(entry, more))
    opened.push(source)
    await source.open(testContext(cache, { root: folder, cacheFolder: join(folder, "cache") }))
    return source
  }
  const namesOf = (source: Source): string[] => (source.list()?.tools ?? []).map(({ name }) => name)
  const next = <E extends "changed" | "health">(source: Source, event: E): Promise<unknown> =>
    new Promise(done => {
      const off = source.on(event, (heard: unknown) => {
        off()
        done(heard)
      })
    })

  it("says what it is, and what the description got wrong", async () => {
    await write(specOf(origin, { "/pets/{id}": { get: operation("getPet") } }))
    const source = await open({ spec: "api.json" })
    expect(source.list()).toMatchObject({ info: { name: "Test API", version: "7" }, capabilities: { tools: {} } })
    expect(source.health()).toMatchObject({ state: "up" })
    expect(source.logs?.().join("\n")).toMatch(/1 operation; 1 repair of(?:.|\n)*id/)
  })

  it("takes only the operations that are asked for", async () => {
    await write(specOf(origin, PATHS))
    expect(namesOf(await open({ spec: "api.json" }, { include: ["path:/e*"], exclude: ["operation:events"] }))).toEqual(
      ["echo"],
    )
  })

  it("sends the entry's headers and secrets, to the address that the entry names", async () => {
    const security = { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } } }
    await write(
      specOf("https://api.invalid/v1", { "/me": { get: operation("me", { security: [{ key: [] }] }) } }, security),
    )
    respond = (request, response) => response.end(JSON.stringify(request.headers))
    const source = await open({
      spec: "api.json",
      server: `${origin}/v2`,
      auth: { key: "s3cret-1" },
      headers: { "X-App": "a" },
    })
    const result = await source.call("me", {}, call())
    expect(seen).toEqual(["/v2/me"])
    expect(JSON.parse((result.content as { text: string }[])[0]!.text)).toMatchObject({
      "x-key": "[key]",
      "x-app": "a",
    })
  })

  it("follows edits of the file, keeps the last good version, and says what is wrong with an edit", async () => {
    await write(specOf(origin, { "/echo": PATHS["/echo"] }))
    const source = await open({ spec: "api.json" })
    const changed = next(source, "changed")
    await write(specOf(origin, PATHS))
    expect(await changed).toEqual(["tools"])
    expect(namesOf(source)).toEqual(["echo", "events", "slow", "missing"])
    const unwell = next(source, "health")
    await write('{ "openapi": "3.1.0", "paths": ')
    expect(await unwell).toMatchObject({
      state: "up",
      reason: expect.stringContaining("the version before it goes on"),
    })
    expect(namesOf(source)).toHaveLength(4)
    expect(await source.call("echo", { text: "still" }, call())).toMatchObject({ content: [{ text: "still" }] })
    const well = next(source, "health")
    await write(specOf(origin, { "/slow": PATHS["/slow"] }))
    expect((await well) as SourceHealth).toMatchObject({ state: "up" })
    expect(source.health().reason).toBeUndefined()
    expect(namesOf(source)).toEqual(["slow"])
  })

  it("comes up by itself when its file is put there", async () => {
    const source = await open({ spec: "late.json" })
    expect(source.health()).toMatchObject({ state: "down", reason: expect.stringContaining("late.json") })
    const up = new Promise<void>(done => source.on("health", ({ state }) => state === "up" && done()))
    await write(specOf(origin, PATHS), "late.json")
    await up
    expect(namesOf(source)).toContain("echo")
  })

  it("reads the files that it refers to, follows their edits, and nothing outside the project", async () => {
    await write(JSON.stringify({ type: "string", description: "first" }), "part.json")
    const parameters = (ref: string) => [{ name: "text", in: "query", schema: { $ref: ref } }]
    const paths = {
      "/echo": { get: operation("echo", { parameters: parameters("./part.json") }) },
      "/x": { get: operation("x", { parameters: parameters("../../../../../../etc/hostname") }) },
    }
    await write(specOf(origin, paths))
    const source = await open({ spec: "api.json" })
    expect(JSON.stringify(source.list())).toContain("first")
    expect(source.logs?.().join("\n")).toMatch(/etc\/hostname/)
    const changed = next(source, "changed")
    await write(JSON.stringify({ type: "string", description: "second" }), "part.json")
    await changed
    expect(JSON.stringify(source.list())).toContain("second")
  })

  it("notices a file that it refers to and that was not there before", async () => {
    const parameters = [{ name: "text", in: "query", schema: { $ref: "./late.json" } }]
    await write(specOf(origin, { "/echo": { get: operation("echo", { parameters }) } }))
    const source = await open({ spec: "api.json" })
    const changed = next(source, "changed")
    await write(JSON.stringify({ type: "string", description: "at last" }), "late.json")
    await changed
    expect(JSON.stringify(source.list())).toContain("at last")
  })

  it("is fetched once, asked for again by its tag, and starts without a network", async () => {
    const tags: (string | undefined)[] = []
    respond = (request, response) => {
      tags.push(request.headers["if-none-match"])
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304).end()
      else response.writeHead(200, { etag: '"v1"' }).end(specOf(undefined, PATHS))
    }
    const spec = `${origin}/openapi.json`
    const first = await open({ spec })
    expect(await first.call("echo", { text: "own host" }, call())).toMatchObject({ content: [{ text: "own host" }] })
    await first.close()
    const second = await open({ spec })
    expect(tags).toEqual([undefined, '"v1"'])
    expect(second.health().reason).toBeUndefined()
    await second.close()
    server.closeAllConnections()
    await new Promise(done => server.close(done))
    const third = await open({ spec })
    expect(third.list()).toEqual(first.list())
    expect(third.health()).toMatchObject({ state: "up", reason: expect.stringMatching(/the copy of .* is used/) })
  })

  it("lists what it knows before anything may be reached", async () => {
    await write(specOf(origin, PATHS))
    await (await open({ spec: "api.json" })).close()
    const source = new OpenApiSource(configOf({ spec: "api.json" }))
    opened.push(source)
    const context = testContext(cache, { root: folder, cacheFolder: join(folder, "cache") })
    const changed = next(source, "changed")
    void source.open({ ...context, start: new Promise(() => {}) })
    await changed
    expect(namesOf(source)).toContain("echo")
  })

  it("does not let a description from a URL lead inside, its own host aside", async () => {
    const inside = createServer((_request, response) => response.end("inside"))
    await once(inside.listen(0, "127.0.0.1"), "listening")
    const { port } = inside.address() as AddressInfo
    try {
      const text = specOf(undefined, {
        "/own": { get: operation("own") },
        "/name": { servers: [{ url: `http://localhost:${port}` }], get: operation("name") },
        "/number": { servers: [{ url: `http://[::ffff:127.0.0.1]:${port}` }], get: operation("number") },
        "/meta": { servers: [{ url: "http://169.254.169.254" }], get: operation("meta") },
      })
      respond = (request, response) => response.end(request.url === "/openapi.json" ? text : "own")
      const source = await open({ spec: `${origin}/openapi.json` })
      expect(await source.call("own", {}, call())).toMatchObject({ content: [{ text: "own" }] })
      for (const tool of ["name", "number", "meta"])
        await expect(source.call(tool, {}, call())).rejects.toMatchObject({ code: "fetch_refused" })
      await write(text)
      const trusted = await open({ spec: "api.json" })
      expect(await trusted.call("name", {}, call())).toMatchObject({ content: [{ text: "inside" }] })
    } finally {
      inside.closeAllConnections()
      inside.close()
    }
  })

  it("reaches nothing inside when its own address was found in a page", async () => {
    let asked = 0
    respond = (_request, response) => {
      asked++
      response.end(specOf(undefined, { "/own": { get: operation("own") } }))
    }
    const source = await open({ spec: `${origin}/found.json`, isFound: true })
    expect(source.health()).toMatchObject({ state: "down", reason: expect.stringContaining("127.0.0.1") })
    expect(asked).toBe(0)
  })

  it("sends secrets to no host that only a description from a URL names", async () => {
    const heard: (string | undefined)[] = []
    const other = createServer((request, response) => {
      heard.push(request.headers["x-key"] as string | undefined)
      response.end("other")
    })
    await once(other.listen(0, "127.0.0.1"), "listening")
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    try {
      const text = specOf(undefined, { "/away": { servers: [{ url: `http://${host}` }], get: operation("away") } })
      respond = (_request, response) => response.end(text)
      const secret = { spec: `${origin}/away.json`, headers: { "X-Key": "very-secret" } }
      const closed = await open(secret)
      await expect(closed.call("away", {}, call())).rejects.toMatchObject({ code: "fetch_refused" })
      expect(heard).toEqual([])
      const named = await open(secret, { network: [host] })
      expect(await named.call("away", {}, call())).toMatchObject({ content: [{ text: "other" }] })
      const plain = await open({ spec: `${origin}/away.json` })
      expect(await plain.call("away", {}, call())).toMatchObject({ content: [{ text: "other" }] })
      expect(heard).toEqual(["very-secret", undefined])
    } finally {
      other.closeAllConnections()
      other.close()
    }
  })

  it("does not fetch what a description refers to on other hosts, unless they are listed", async () => {
    const parts = createServer((_request, response) => response.end('{"type":"string","description":"from elsewhere"}'))
    await once(parts.listen(0, "127.0.0.1"), "listening")
    const host = `127.0.0.1:${(parts.address() as AddressInfo).port}`
    try {
      const parameters = [{ name: "a", in: "query", schema: { $ref: `http://${host}/part.json` } }]
      await write(specOf(origin, { "/x": { get: operation("x", { parameters }) } }))
      const refused = await open({ spec: "api.json" })
      expect(namesOf(refused)).toEqual(["x"])
      expect(refused.logs?.().join("\n")).toContain(host)
      const allowed = await open({ spec: "api.json" }, { network: [host] })
      expect(JSON.stringify(allowed.list())).toContain("from elsewhere")
    } finally {
      parts.closeAllConnections()
      parts.close()
    }
  })

  it("is down with the line of the fault when it can't be read", async () => {
    await write("openapi: 3.1.0\npaths:\n  /x: [unclosed\n", "broken.yaml")
    const source = await open({ spec: "broken.yaml" })
    expect(source.health()).toMatchObject({ state: "down", reason: expect.stringMatching(/broken\.yaml/) })
    await expect(source.call("x", {}, call())).rejects.toMatchObject({ code: "server_down" })
  })

  it("does without a cache that was damaged", async () => {
    await write(specOf(origin, PATHS))
    await (await open({ spec: "api.json" })).close()
    const kept = join(folder, "cache", "descriptions")
    for (const name of await readdir(kept)) {
      if (name === "tmp") continue
      const text = await readFile(join(kept, name), "utf8")
      await writeFile(join(kept, name), text.slice(0, text.indexOf("\n") + 20))
    }
    expect(namesOf(await open({ spec: "api.json" }))).toContain("echo")
  })
})
