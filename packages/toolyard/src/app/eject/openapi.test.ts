import { existsSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { resolve } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openYard, type Yard } from "./eject.fixture.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
const servers: Server[] = []
afterEach(() => {
  yard?.close()
  for (const server of servers.splice(0)) server.close()
})

type Answer = (request: IncomingMessage & { body: string }) => {
  status?: number
  type?: string
  body?: string | Buffer
  headers?: Record<string, string | undefined>
}

async function startApi(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += (chunk as Buffer).toString("latin1")
    const {
      status = 200,
      type = "application/json",
      body: text = "{}",
      headers,
    } = answer(Object.assign(request, { body }))
    response.writeHead(status, { "content-type": type, ...headers }).end(text)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`
}

const parameter = (name: string, place: string, more = {}) => ({
  name,
  in: place,
  required: place === "path",
  schema: { type: "string" },
  ...more,
})
const list = { schema: { type: "array", items: { type: "string" } } }
const deep = { schema: { type: "object", properties: { a: { type: "string" }, b: list.schema } } }
const bodyOf = (type: string, schema: object, more = {}) => ({
  required: true,
  content: { [type]: { schema, ...more } },
})
const form = {
  type: "object",
  properties: { name: { type: "string" }, tags: list.schema, photo: { type: "string", format: "binary" } },
}

const SPEC = {
  openapi: "3.0.3",
  info: { title: "Things", version: "1", description: "All things." },
  servers: [{ url: "https://{region}.things.example/v1", variables: { region: { default: "eu" } } }],
  security: [{ key: [] }, { basic: [] }],
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api_key" },
      basic: { type: "http", scheme: "basic" },
      machine: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: "https://login.example/token", scopes: { all: "" } } },
      },
    },
  },
  paths: {
    "/things/{id}": {
      get: {
        operationId: "getThing",
        summary: "One thing.",
        parameters: [
          parameter("id", "path"),
          parameter("ids", "query", list),
          parameter("flat", "query", { ...list, explode: false }),
          parameter("pipes", "query", { ...list, style: "pipeDelimited", explode: false }),
          parameter("deep", "query", { ...deep, style: "deepObject", explode: true }),
          parameter("json", "query", {
            schema: undefined,
            content: { "application/json": { schema: { type: "object" } } },
          }),
          parameter("X-Trace", "header"),
          parameter("session", "cookie"),
        ],
        responses: {
          200: {
            description: "",
            content: { "application/json": { schema: { type: "object", properties: { id: { type: "string" } } } } },
          },
        },
      },
      delete: {
        operationId: "deleteThing",
        parameters: [parameter("id", "path", { schema: { type: "integer" } })],
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { why: { type: "string" } } } } },
        },
        responses: { 204: { description: "" } },
      },
    },
    "/labels/{label}/{matrix}": {
      get: {
        operationId: "styles",
        parameters: [
          parameter("label", "path", { ...list, style: "label", explode: true }),
          parameter("matrix", "path", { ...list, style: "matrix", explode: true }),
        ],
        responses: {},
      },
    },
    "/form": {
      post: { operationId: "sendForm", requestBody: bodyOf("application/x-www-form-urlencoded", form), responses: {} },
    },
    "/parts": { post: { operationId: "sendParts", requestBody: bodyOf("multipart/form-data", form), responses: {} } },
    "/raw": {
      put: {
        operationId: "sendBytes",
        requestBody: bodyOf("application/octet-stream", { type: "string", format: "binary" }),
        responses: {},
      },
    },
    "/list": {
      post: {
        operationId: "sendList",
        requestBody: bodyOf("application/json", list.schema),
        responses: {},
        security: [{ machine: ["all"] }],
      },
    },
  },
}

const ENTRY = {
  type: "openapi",
  spec: "./things.json",
  auth: { key: "${THINGS_KEY}", basic: "someone:their-password" },
  headers: { "X-Tenant": "${TENANT:-acme}", Authorization: "Bearer written-out" },
}

describe("an ejected API", () => {
  it("B15 sends what the hub sends, says so by its own tests, and holds no secret", async () => {
    yard = openYard({ things: ENTRY })
    yard.write("things.json", SPEC)
    const ejected = await yard.eject("things", { env: { THINGS_KEY: "very-secret-value" } })
    expect(ejected.everything()).not.toMatch(/toolyard|very-secret-value|their-password|written-out/i)
    expect(ejected.warnings).toEqual([])
    expect(ejected.variables.map(({ name }) => name)).toEqual([
      "THINGS_KEY",
      "BASIC",
      "MACHINE",
      "MACHINE_CLIENT_ID",
      "MACHINE_CLIENT_SECRET",
      "TENANT",
      "AUTHORIZATION",
      "BASE_URL",
    ])
    expect(ejected.read("src/handlers/operations.ts")).toContain('server: "https://eu.things.example/v1"')
    expect(ejected.check()).toBe("")
    const { status, pass, fail, output } = ejected.test()
    expect({ status, pass, fail }, output).toEqual({ status: 0, pass: 11, fail: 0 })
  })

  it("B15 gives what the API answers: JSON, text, pictures, nothing, failures; and hides secrets in it", async () => {
    yard = openYard({ things: { ...ENTRY, headers: {} } })
    yard.write("things.json", SPEC)
    const ejected = await yard.eject("things")
    const seen: string[] = []
    let busy = 1
    const url = await startApi(({ url = "", method, body, headers }) => {
      seen.push(`${method} ${url} ${body}`)
      if (url.startsWith("/base/things/secret")) return { status: 403, type: "text/plain", body: `no: ${url}` }
      if (url.startsWith("/base/things/busy") && busy-- > 0) return { status: 503, headers: { "retry-after": "0" } }
      if (url.startsWith("/base/things/moved")) return { status: 302, headers: { location: "/base/things/there" } }
      if (url.startsWith("/base/things/away")) return { status: 302, headers: { location: "http://192.0.2.1/" } }
      if (url.startsWith("/base/things/html")) return { type: "text/html", body: "<p>hi" }
      if (method === "DELETE") return { status: 204, body: "" }
      if (url.startsWith("/base/labels")) return { type: "image/png", body: Buffer.from("\x89PNG\r\n\x1a\n", "latin1") }
      return { body: JSON.stringify({ id: headers.authorization ?? "nobody" }) }
    })
    await using server = ejected.start({ BASE_URL: url, THINGS_KEY: "k3y-value", BASIC: "u:p" })
    const thing = (id: string) => server.call("getThing", { id })
    expect(await thing("a/b c")).toEqual({
      content: [{ type: "text", text: '{"id":"nobody"}' }],
      structuredContent: { id: "nobody" },
    })
    expect(seen.at(-1)).toBe("GET /base/things/a%2Fb%20c?api_key=k3y-value ")
    const refused = await thing("secret")
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/403 Forbidden.*THINGS_KEY, or BASIC/s) }],
    })
    expect(JSON.stringify(refused)).not.toContain("k3y-value")
    expect(await thing("busy")).toMatchObject({ structuredContent: { id: "nobody" } })
    expect(await thing("moved")).toMatchObject({ structuredContent: { id: "nobody" } })
    expect(await thing("away")).toMatchObject({
      isError: true,
      content: [{ text: /redirects to http:\/\/192\.0\.2\.1/ }],
    })
    expect(await thing("html")).toMatchObject({ isError: true })
    expect(await thing("..")).toMatchObject({ isError: true })
    expect(await thing("")).toMatchObject({ isError: true })
    expect(await server.call("deleteThing", { id: 1, body: { why: "old" } })).toMatchObject({
      content: [{ text: "(no content)" }],
    })
    expect(seen.at(-1)).toBe('DELETE /base/things/1?api_key=k3y-value {"why":"old"}')
    expect(await server.call("styles", { label: ["x", "y"], matrix: ["z"] })).toMatchObject({
      content: [{ type: "image" }],
    })
    expect(seen.at(-1)).toBe("GET /base/labels/.x.y/;matrix=z?api_key=k3y-value ")
    expect(await server.call("getThing", { id: "a", "X-Trace": "a\r\nb: c" })).toMatchObject({ isError: true })
  })
})

const DATA = resolve(import.meta.dirname, "../../../../../../shared/data/openapi")
const SPECS = ["petstore3.yaml", "museum.yaml", "nasa-apod.yaml"]

// Real descriptions stand beside the repository, where there are any.
describe.skipIf(!existsSync(DATA))("real APIs", () => {
  it.each(SPECS)(
    "B15 %s passes its own tests once it is ejected",
    async name => {
      yard = openYard({ api: { type: "openapi", spec: `./${name}` } })
      yard.write(name, readFileSync(resolve(DATA, name), "utf8"))
      const ejected = await yard.eject("api")
      const { status, pass, fail, output } = ejected.test()
      expect({ status, fail }, output).toEqual({ status: 0, fail: 0 })
      expect(pass).toBeGreaterThanOrEqual(ejected.tools.length - ejected.warnings.length)
    },
    120_000,
  )
})
