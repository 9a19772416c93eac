/** APIs as servers, from their description to the client: through a real hub, against a real HTTP server. */
import { readdirSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { buildSchema, graphql } from "graphql"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"
import { openOwnYard } from "./own-yard.ts"

const SECRET = "hunter2-very-secret"
const SDL = `
"""A pet."""
type Pet { id: ID! name: String! friends: [Pet!]! }
type Query { "One pet." pet(id: ID!): Pet pets(limit: Int = 10): [Pet!]! }
type Mutation { rename(id: ID!, name: String!): Pet }
`

interface Heard {
  method: string
  url: string
  key: string | undefined
  body: string
}

let api: Server
let origin: string
const heard: Heard[] = []

/** Pets, over REST and over GraphQL. */
beforeAll(async () => {
  const schema = buildSchema(SDL)
  const rex = { id: "1", name: "Rex", friends: [] as unknown[] }
  const root = { pet: () => rex, pets: () => [rex], rename: ({ name }: { name: string }) => ({ ...rex, name }) }
  api = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = "", url = "", headers } = request
    const body = Buffer.concat(chunks).toString()
    heard.push({ method, url, key: headers["x-key"] as string | undefined, body })
    const send = (status: number, value: unknown): void =>
      void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value))
    if (url === "/graphql") {
      const { query, variables } = JSON.parse(body)
      send(200, await graphql({ schema, source: query, variableValues: variables, rootValue: root }))
    } else if (headers["x-key"] !== SECRET) send(401, { error: "no key" })
    else if (url.startsWith("/pets/404")) send(404, { error: "no such pet", echo: headers["x-key"] })
    else if (method === "GET") send(200, { id: 7, name: "Rex", owner: null })
    else send(201, { done: method })
  })
  await new Promise<void>(resolve => api.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
})
afterAll(() => {
  api.closeAllConnections()
  api.close()
})
afterEach(async () => {
  heard.length = 0
  await closeClients()
  await stopAll()
})

const spec = (): string => `
openapi: 3.1.2
info: { title: Pets, version: "1" }
servers: [{ url: "${origin}" }]
security: [{ petKey: [] }]
components:
  securitySchemes: { petKey: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Pet: { type: object, required: [name], properties: { id: { type: integer }, name: { type: string }, owner: { type: string } } }
paths:
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getPet
      summary: One pet.
      tags: [pets]
      parameters: [{ name: fields, in: query, schema: { type: array, items: { type: string } }, explode: false }]
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } } }
    delete: { operationId: deletePet, tags: [pets], responses: { "204": { description: gone } } }
  /pets:
    post:
      operationId: addPet
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
      responses: { "201": { description: made } }
`

describe("an API by its OpenAPI description", { timeout: 60_000 }, () => {
  const open = async (more: object = {}, policy: object = {}) => {
    const pets = { type: "openapi", spec: "./pets.yaml", auth: { petKey: "${PET_KEY}" }, ...more }
    const yard = await openOwnYard(
      { "pets.yaml": spec() },
      { mcpServers: { pets }, policy },
      { env: { PET_KEY: SECRET } },
    )
    await yard.hub.waitUp("pets")
    return yard
  }

  it("N10 is a server in the same catalog: each operation a tool, called over MCP, REST and in scripts", async () => {
    const { hub, call, tools } = await open()
    const list = await tools("pets")
    expect(list.map(({ name }) => name)).toEqual(["getPet", "deletePet", "addPet"])
    expect(list[0]).toMatchObject({
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { petId: { type: "integer" }, fields: { type: "array" } }, required: ["petId"] },
    })
    expect(list[1]).toMatchObject({ annotations: { destructiveHint: true } })
    const got = await call("pets", "getPet", { petId: 7, fields: ["a", "b c"] })
    expect(got.structuredContent).toEqual({ id: 7, name: "Rex", owner: null })
    expect(heard.at(-1)).toMatchObject({ method: "GET", url: "/pets/7?fields=a,b%20c", key: SECRET })
    await call("pets", "addPet", { body: { name: "Rex" } })
    expect(heard.at(-1)).toMatchObject({ method: "POST", url: "/pets", body: '{"name":"Rex"}' })
    const body = JSON.stringify({ code: "return (await tools.pets.getPet({ petId: 1 })).name" })
    const headers = { "Content-Type": "application/json" }
    const run = (await (await fetch(`${hub.url}/api/runs`, { method: "POST", headers, body })).json()) as Json
    expect(run).toMatchObject({ status: "completed", value: "Rex" })
    const found = (await (await fetch(`${hub.url}/api/search?q=one+pet`)).json()) as { results: Json[] }
    expect(found.results[0]).toMatchObject({ id: "pets__getPet" })
  })

  it("N9 stands under the one policy, by what the method says", async () => {
    const rules = [{ annotations: { destructiveHint: true }, do: "deny" }]
    const { call } = await open({}, { rules })
    expect(await call("pets", "deletePet", { petId: 1 })).toMatchObject({ isError: true })
    expect(heard).toEqual([])
  })

  it("keeps its secrets: in no result, error, log, state or page, even when the API gives them back", async () => {
    const { hub, call, folder } = await open()
    const missing = await call("pets", "getPet", { petId: 404 })
    expect(missing.isError).toBe(true)
    expect(textOf(missing)).toContain("no such pet")
    const page = await (await fetch(`${hub.url}/mcp/meta/pets`, { headers: { Accept: "text/html" } })).text()
    const details = JSON.stringify(await hub.server("pets"))
    const audit = await (await fetch(`${hub.url}/api/audit`)).text()
    await hub.stop()
    const kept = readdirSync(join(folder, ".toolyard"), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    for (const text of [JSON.stringify(missing), page, details, audit, hub.stderr(), ...kept])
      expect(text.includes(SECRET)).toBe(false)
  })

  it("chooses operations by tag, path, method or name, and follows edits of the file", async () => {
    const { hub, tools, write } = await open({ include: ["tag:pets"], exclude: "method:DELETE" })
    expect((await tools("pets")).map(({ name }) => name)).toEqual(["getPet"])
    write("pets.yaml", spec().replace("operationId: getPet", "operationId: readPet"))
    await until(async () => (await tools("pets")).some(({ name }) => name === "readPet"), "the edit")
    write("pets.yaml", "openapi: [")
    await until(async () => (await hub.server("pets")).reason !== undefined, "the error to be shown")
    expect((await tools("pets")).map(({ name }) => name)).toEqual(["readPet"])
  })
})

describe("an API by its GraphQL schema", { timeout: 60_000 }, () => {
  it.each(["introspection", "a file"])("N10 is a server in the same catalog, by %s", async how => {
    const shop = { type: "graphql", url: `${origin}/graphql`, ...(how === "a file" && { schema: "./shop.graphql" }) }
    const { hub, call, tools } = await openOwnYard({ "shop.graphql": SDL }, { mcpServers: { shop } })
    await hub.waitUp("shop")
    const list = await tools("shop")
    expect(list.map(({ name }) => name)).toEqual(["pet", "pets", "rename"])
    expect(list.map(({ annotations }) => (annotations as Json).readOnlyHint)).toEqual([true, true, false])
    expect(textOf(await call("shop", "pet", { id: "1" }))).toContain("Rex")
    const chosen = await call("shop", "pets", { select: "{ name }" })
    expect(textOf(chosen)).toContain("Rex")
    expect(textOf(chosen)).not.toContain('"id"')
    expect(textOf(await call("shop", "rename", { id: "1", name: "Max" }))).toContain("Max")
    expect(await call("shop", "pets", { select: "{ nonsense }" })).toMatchObject({ isError: true })
    const client = await connect(`${hub.url}/mcp/shop`, "modern")
    expect(await client.callTool({ name: "pet", arguments: {} })).toMatchObject({ isError: true })
  })
})
