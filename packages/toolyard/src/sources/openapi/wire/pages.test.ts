import { afterEach, describe, expect, it } from "vitest"
import type { OperationPlan } from "../operation.ts"
import { hasPages, withPages } from "./pages.ts"
import { ListeningCall, openWireCase, parameter, type Respond, textOf, type WireCase } from "./wire-case.ts"

const plan = (...names: string[]): OperationPlan => ({
  id: "list",
  method: "GET",
  path: "/items",
  servers: [],
  parameters: names.map(name => parameter("query", name)),
  security: [],
})
const json = (response: Parameters<Respond>[1], value: unknown, headers = {}) =>
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))

describe("lists in pages", () => {
  const opened: WireCase[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(wire => wire.close()))
  })
  const open = async (respond: Respond): Promise<WireCase> => {
    const wire = await openWireCase(respond)
    opened.push(wire)
    return wire
  }
  const parametersOf = (...names: string[]) => ({ path: "/items", parameters: plan(...names).parameters })

  it("are recognised by their parameters, and get an argument more", () => {
    expect(hasPages(plan("page"))).toBe(true)
    expect(hasPages(plan("cursor"))).toBe(true)
    expect(hasPages(plan("offset", "limit"))).toBe(true)
    expect(hasPages(plan("start"))).toBe(false)
    expect(hasPages(plan("name"))).toBe(false)
    expect(hasPages({ ...plan("page"), method: "POST" })).toBe(false)
    const definition = { name: "list", inputSchema: { type: "object", properties: { page: {} } } }
    expect(withPages(definition).inputSchema).toMatchObject({ properties: { page: {}, _pages: { maximum: 20 } } })
  })

  it("are followed by Link headers on the same host, with the secrets, and joined", async () => {
    const wire = await open((request, response, index) =>
      json(
        response,
        [index],
        index < 5 && { link: `</items?page=${index + 2}>; rel="next", <${request.url}>; rel="self"` },
      ),
    )
    const auth = { k: "s3cret-1" }
    const security = [{ schemes: [{ name: "k", type: "apiKey", in: "query", key: "key" } as const] }]
    const call = new ListeningCall()
    const result = await wire.send({ ...parametersOf("page"), security }, { _pages: 3 }, { auth, call })
    expect(textOf(result)).toBe("[0,1,2]")
    expect(wire.seen.map(({ url }) => url)).toEqual([
      "/items?key=s3cret-1",
      "/items?page=2&key=s3cret-1",
      "/items?page=3&key=s3cret-1",
    ])
    expect(call.heard).toHaveLength(3)
  })

  it("are followed by an address in the answer, never to another host", async () => {
    const wire = await open((_request, response, index) =>
      json(response, { results: [index], next: index === 0 ? "/items?o=1" : "http://127.0.0.1:1/items" }),
    )
    const result = await wire.send(parametersOf("page"), { _pages: 5 })
    expect(result.structuredContent).toEqual({ results: [0, 1], next: "http://127.0.0.1:1/items" })
  })

  it("are followed by cursors, wherever they stand", async () => {
    const wire = await open((_request, response, index) =>
      json(response, { channels: [index], response_metadata: { next_cursor: index < 2 ? `c${index}` : "" } }),
    )
    const result = await wire.send(parametersOf("cursor"), { _pages: 20 })
    expect(result.structuredContent).toMatchObject({ channels: [0, 1, 2] })
    expect(wire.seen.map(({ url }) => url)).toEqual(["/items", "/items?cursor=c0", "/items?cursor=c1"])
  })

  it("are followed by the last item's id where that is the way", async () => {
    const wire = await open((_request, response, index) =>
      json(response, { data: [{ id: `i${index}` }], has_more: index < 1 }),
    )
    await wire.send(parametersOf("starting_after"), { _pages: 9 })
    expect(wire.seen.map(({ url }) => url)).toEqual(["/items", "/items?starting_after=i0"])
  })

  it("are counted where nothing says what is next, until one is not full or empty", async () => {
    const all = [1, 2, 3, 4, 5]
    const wire = await open((request, response) => {
      const offset = Number(new URL(request.url, "http://x").searchParams.get("offset") ?? 0)
      json(response, { items: all.slice(offset, offset + 2), total: 5 })
    })
    const result = await wire.send(parametersOf("offset", "limit"), { limit: 2, _pages: 20 })
    expect(result.structuredContent).toEqual({ items: all, total: 5 })
    expect(wire.seen).toHaveLength(3)
    const pages = await open((_request, response, index) => json(response, index < 2 ? [index] : []))
    expect(textOf(await pages.send(parametersOf("page"), { page: 3, _pages: 20 }))).toBe("[0,1]")
    expect(pages.seen.map(({ url }) => url)).toEqual(["/items?page=3", "/items?page=4", "/items?page=5"])
  })

  it("give what there is, with a note, when one can't be had", async () => {
    const wire = await open((_request, response, index) =>
      index === 0 ? json(response, [1]) : response.writeHead(500).end("broken"),
    )
    const result = await wire.send(parametersOf("page"), { _pages: 3 })
    expect(textOf(result)).toMatch(/^\[1\]\n\(Page 2 could not be had: 500/)
    expect(result.isError).toBeUndefined()
  })
})
