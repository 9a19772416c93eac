import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Call } from "../../model/call.ts"
import { SERVER_DEFAULTS, type ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Source, ToolResult } from "../../model/source.ts"
import { testContext } from "../source.contract.ts"
import { openShop, SHOP, type Shop } from "./shop-case.ts"
import { GraphQlSource } from "./source.ts"

const call = () => new Call({ surface: "library", principal: "test" })
const textOf = (result: ToolResult): string => (result.content as { text: string }[]).map(({ text }) => text).join("\n")

describe("a GraphQL server as a source", () => {
  let shop: Shop
  let folder: string
  const opened: Source[] = []
  beforeEach(async () => {
    shop = await openShop()
    folder = await mkdtemp(join(tmpdir(), "toolyard-graphql-"))
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(source => source.close()))
    await shop.close()
    await rm(folder, { recursive: true, force: true })
  })
  const open = async (entry: JsonObject = {}): Promise<Source> => {
    const whole = { type: "graphql", url: shop.url, ...entry }
    const config: ServerConfig = { ...SERVER_DEFAULTS, name: "shop", entry: whole, hash: "h" }
    const source = new GraphQlSource(config)
    opened.push(source)
    await source.open(testContext(undefined, { root: folder, cacheFolder: join(folder, "cache") }))
    return source
  }

  it("asks the server for its schema, and calls queries with typed variables", async () => {
    const source = await open()
    expect(source.health()).toMatchObject({ state: "up" })
    expect(source.list()?.tools).toHaveLength(14)
    const result = await source.call("product", { id: "p9" }, call())
    expect(result.structuredContent).toMatchObject({ id: "p9", name: "Chair", maker: { address: { city: "Ulm" } } })
    expect(shop.asked).toMatchObject([
      { query: expect.stringContaining("query product($id: ID!) { product(id: $id) {"), variables: { id: "p9" } },
    ])
  })

  it("sends only what was given: defaults are the server's, null is null", async () => {
    const source = await open()
    await source.call("products", {}, call())
    expect(shop.asked[0]).toMatchObject({
      query: expect.stringMatching(/^query products \{ products \{/),
      variables: {},
    })
    const echoed = await source.call("echo", { value: { any: ["thing"] }, list: [1, null], size: "LARGE" }, call())
    expect(JSON.parse(JSON.parse(textOf(echoed)))).toEqual({
      value: { any: ["thing"] },
      list: [1, null],
      size: "LARGE",
    })
    const changed = await source.call("change", { id: "p2", patch: { name: "Table", size: null } }, call())
    expect(changed.structuredContent).toMatchObject({ id: "p2", name: "Table", size: null })
  })

  it("gives connections, lists of several kinds, single values and null", async () => {
    const source = await open()
    expect((await source.call("products", {}, call())).structuredContent).toMatchObject({
      nodes: [{ name: "Chair" }],
      pageInfo: { hasNextPage: false },
    })
    expect(JSON.parse(textOf(await source.call("search", { text: "x" }, call())))).toMatchObject([
      { __typename: "Product", name: "Chair" },
      { __typename: "Maker" },
      { __typename: "Fault", message: "hm" },
    ])
    expect(textOf(await source.call("count", {}, call()))).toBe("3")
    expect(await source.call("product", { id: "none" }, call())).toEqual({ content: [{ type: "text", text: "null" }] })
  })

  it("takes a selection of the caller's own; one that the schema does not have is never sent", async () => {
    const source = await open()
    const chosen = await source.call("product", { id: "p1", select: "{ name maker { id } }" }, call())
    expect(chosen.structuredContent).toEqual({ name: "Chair", maker: { id: "m1" } })
    await source.call("product", { id: "p2", select: "{ name maker { id } }" }, call())
    const count = shop.asked.length
    const refused = source.call("product", { id: "p1", select: "{ nonsense }" }, call())
    await expect(refused).rejects.toMatchObject({
      code: "invalid_arguments",
      message: /nonsense/,
      hint: /name: String!/,
    })
    expect(shop.asked).toHaveLength(count)
    expect((await source.call("pick", { by: { id: "p1" }, select: "" }, call())).structuredContent).toHaveProperty(
      "maker",
    )
    const own = await source.call("select", { select: "an argument", _select: "{ id }" }, call())
    expect(own.structuredContent).toEqual({ id: "p1" })
  })

  it("makes errors without data an error, and keeps data that comes with errors", async () => {
    const source = await open()
    const broken = await source.call("broken", {}, call())
    expect(broken.isError).toBe(true)
    expect(textOf(broken)).toBe("NOT_FOUND: no such thing (at broken)")
    const invalid = await source.call("product", { id: { not: "an id" } }, call())
    expect(invalid.isError).toBe(true)
    const partly = await source.call("partly", {}, call())
    expect(partly.isError).toBeUndefined()
    expect(partly.structuredContent).toMatchObject({ name: "Chair", maker: null })
    expect(textOf(partly)).toContain("the maker is away (at partly.maker)")
  })

  it("sends the entry's headers, and never shows those that let one in", async () => {
    const source = await open({ headers: { Authorization: "Bearer s3cret-token", "X-Shop": "north" } })
    const result = await source.call("headers", {}, call())
    expect(shop.asked[0]!.headers).toMatchObject({ authorization: "Bearer s3cret-token", "x-shop": "north" })
    expect(textOf(result)).not.toContain("s3cret")
    expect(textOf(result)).toContain("north")
  })

  it("reads the schema from a file, follows its edits, and then asks nobody", async () => {
    await writeFile(join(folder, "shop.graphql"), SHOP)
    const source = await open({ schema: "shop.graphql" })
    expect(source.list()?.tools).toHaveLength(14)
    const changed = new Promise(done => source.on("changed", done))
    await writeFile(join(folder, "shop.graphql"), "type Query { count: Int! }")
    await changed
    expect(source.list()?.tools.map(({ name }) => name)).toEqual(["count"])
    expect(textOf(await source.call("count", {}, call()))).toBe("3")
  })

  it("starts without a network from the schema that it was given last", async () => {
    const first = await open()
    await first.close()
    await shop.close()
    const second = await open()
    expect(second.list()).toEqual(first.list())
    expect(second.health()).toMatchObject({ state: "up", reason: expect.stringContaining("is used") })
    await expect(second.call("count", {}, call())).rejects.toMatchObject({ code: "fetch_failed" })
  })

  it("is down with a reason when there is no schema to be had", async () => {
    const source = await open({ url: "http://127.0.0.1:1/graphql" })
    expect(source.health()).toMatchObject({ state: "down", reason: /ECONNREFUSED/, nextRetryAt: expect.any(Number) })
    await expect(source.call("count", {}, call())).rejects.toMatchObject({ code: "server_down" })
  })

  it("ends a call when its caller leaves, and when it is closed", async () => {
    const source = await open()
    const leaving = call()
    const reason = new YardError("cancelled", "left")
    const left = expect(source.call("slow", {}, leaving)).rejects.toBe(reason)
    setImmediate(() => leaving.abort(reason))
    await left
    const closed = expect(source.call("slow", {}, call())).rejects.toMatchObject({ code: "server_down" })
    await source.close()
    await closed
  })
})
