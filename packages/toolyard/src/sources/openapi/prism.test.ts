/** An independent judge: Prism serves a description as a mock, and says what is wrong with the requests that it gets. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, request as forward, type Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Call } from "../../model/call.ts"
import { SERVER_DEFAULTS } from "../../model/config.ts"
import type { JsonObject } from "../../model/json.ts"
import { testContext } from "../source.contract.ts"
import { sampleOf } from "./sample.fixture.ts"
import { OpenApiSource } from "./source.ts"

const DATA = join(import.meta.dirname, "../../../../../../shared/data/openapi")
const PRISM = join(
  dirname(createRequire(import.meta.url).resolve("@stoplight/prism-cli/package.json")),
  "dist/index.js",
)

interface Mock {
  origin: string
  /** What Prism had to say, by request. */
  violations: string[]
  close(): Promise<void>
}

/** Prism, with someone before it who reads its answers: it may find fault and yet give a mock. */
async function openPrism(file: string): Promise<Mock> {
  const child = spawn(process.execPath, [PRISM, "mock", "-p", "0", "-h", "127.0.0.1", file], { stdio: "pipe" })
  const port = await portOf(child)
  const violations: string[] = []
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const onward = forward({ host: "127.0.0.1", port, method, path, headers }, answer => {
      const said = answer.headers["sl-violations"]
      if (said !== undefined) violations.push(`${method} ${path}: ${said}`)
      const { statusCode = 0 } = answer
      if (said === undefined && (statusCode === 401 || statusCode === 422 || statusCode >= 500))
        violations.push(`${method} ${path}: ${statusCode}`)
      outgoing.writeHead(statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on("error", error => {
      violations.push(`${method} ${path}: ${error.message}`)
      outgoing.writeHead(502).end()
    })
    incoming.pipe(onward)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    violations,
    async close() {
      child.kill("SIGKILL")
      await stop(server)
    },
  }
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    let said = ""
    child.once("exit", () => fail(new Error(`Prism did not start: ${said}`)))
    child.stderr?.on("data", chunk => {
      said += chunk
    })
    child.stdout?.on("data", chunk => {
      said += chunk
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (port !== undefined) done(Number(port))
    })
  })
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise(done => server.close(done))
}

const AUTH = {
  MuseumPlaceholderAuth: "jo:password",
  petstore_auth: "some-token",
  api_key: "some-key",
}

async function callAll(spec: string): Promise<{ tools: number; calls: number; violations: string[] }> {
  const mock = await openPrism(spec)
  const entry = { type: "openapi", spec, server: mock.origin, auth: AUTH }
  const source = new OpenApiSource({ ...SERVER_DEFAULTS, name: "api", entry, hash: "h" })
  try {
    await source.open(testContext())
    const tools = source.list()?.tools ?? []
    let calls = 0
    for (const { name, inputSchema } of tools) {
      for (const isFull of [false, true]) {
        const args = sampleOf(inputSchema, isFull) as JsonObject
        delete args._pages
        await source.call(name, args, new Call({ surface: "library", principal: "test" }))
        calls++
      }
    }
    return { tools: tools.length, calls, violations: mock.violations }
  } finally {
    await source.close()
    await mock.close()
  }
}

describe("requests before an independent judge", () => {
  it.skipIf(!existsSync(DATA)).for(["petstore3.yaml", "museum.yaml"])(
    "has nothing against any operation of %s (skipped where the recorded descriptions are not there)",
    async name => {
      const { tools, calls, violations } = await callAll(join(DATA, name))
      expect(violations).toEqual([])
      expect(tools).toBeGreaterThan(5)
      expect(calls).toBe(tools * 2)
    },
  )

  describe("with a description of every style", () => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "toolyard-prism-"))
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    it("has nothing against styles of parameters, nor kinds of bodies", async () => {
      const file = join(folder, "styles.json")
      await writeFile(file, JSON.stringify(STYLES))
      const { tools, violations } = await callAll(file)
      expect(violations).toEqual([])
      expect(tools).toBe(Object.keys(STYLES.paths).length)
    })
  })
})

const integers = { type: "array", items: { type: "integer", minimum: 5 }, minItems: 2 }
const point = {
  type: "object",
  properties: { x: { type: "integer" }, y: { type: "integer" } },
  required: ["x", "y"],
  additionalProperties: false,
}
const responses = { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } }
const parameter = (place: string, schema: JsonObject, more: JsonObject = {}) => ({
  parameters: [{ name: "p", in: place, required: true, schema, ...more }],
  responses,
})
const body = (type: string, schema: JsonObject, more: JsonObject = {}) => ({
  requestBody: { required: true, content: { [type]: { schema, ...more } } },
  responses,
})
const fields = { type: "object", properties: { id: { type: "integer" }, list: integers }, required: ["id", "list"] }
/**
 * Without three things that Prism can't read: a list by spaces (it looks for `%20` in what is decoded), one by commas in
 * a path (it dies), and repeated fields of a form (it keeps the last).
 */
const STYLES = {
  openapi: "3.0.3",
  info: { title: "Styles", version: "1" },
  paths: {
    "/form": { get: parameter("query", integers) },
    "/form-flat": { get: parameter("query", integers, { explode: false }) },
    "/form-object": { get: parameter("query", point, { explode: false }) },
    "/pipe": { get: parameter("query", integers, { style: "pipeDelimited", explode: false }) },
    "/deep": { get: parameter("query", point, { style: "deepObject", explode: true }) },
    "/simple/{p}": { get: parameter("path", { type: "integer" }) },
    "/label/{p}": { get: parameter("path", integers, { style: "label", explode: true }) },
    "/matrix/{p}": { get: parameter("path", integers, { style: "matrix", explode: true }) },
    "/header": { get: parameter("header", integers) },
    "/header-object": { get: parameter("header", point, { explode: true }) },
    "/cookie": { get: parameter("cookie", { type: "integer" }) },
    "/json": { post: body("application/json", fields) },
    "/patch": { patch: body("application/merge-patch+json", fields) },
    "/list": { post: body("application/json", integers) },
    "/urlencoded": { post: body("application/x-www-form-urlencoded", point) },
    "/urlencoded-flat": {
      post: body("application/x-www-form-urlencoded", fields, {
        encoding: { list: { style: "form", explode: false } },
      }),
    },
    "/text": { post: body("text/plain", { type: "string", minLength: 2 }) },
    "/bytes": { put: body("application/octet-stream", { type: "string", format: "binary" }) },
    "/parts": {
      post: body("multipart/form-data", {
        type: "object",
        properties: { id: { type: "integer" }, file: { type: "string", format: "binary" } },
        required: ["id", "file"],
      }),
    },
  },
}
