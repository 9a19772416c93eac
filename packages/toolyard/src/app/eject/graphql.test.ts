import { afterEach, expect, it, vi } from "vitest"
import { openShop, SHOP, type Shop } from "../../sources/graphql/shop-case.ts"
import { openYard, type Yard } from "./eject.fixture.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
let shop: Shop | undefined
afterEach(async () => {
  yard?.close()
  await shop?.close()
  shop = undefined
})

it("B15 asks for what the hub asks for, and holds no secret", async () => {
  yard = openYard({
    shop: {
      type: "graphql",
      url: "https://shop.example/graphql",
      schema: "./shop.graphql",
      headers: { Authorization: "Bearer ${SHOP_TOKEN}", "X-Api-Key": "written-out" },
    },
  })
  yard.write("shop.graphql", SHOP)
  const ejected = await yard.eject("shop", { env: { SHOP_TOKEN: "very-secret-value" } })
  expect(ejected.everything()).not.toMatch(/toolyard|very-secret-value|written-out/i)
  expect(ejected.variables.map(({ name }) => name)).toEqual(["SHOP_TOKEN", "X_API_KEY", "BASE_URL"])
  expect(ejected.check()).toBe("")
  const { status, fail, output } = ejected.test()
  expect({ status, fail }, output).toEqual({ status: 0, fail: 0 })

  shop = await openShop()
  await using server = ejected.start({ BASE_URL: shop.url, SHOP_TOKEN: "t0ken-value", X_API_KEY: "k" })
  expect((await server.request("tools/list")).tools).toEqual(ejected.tools)
  const { structuredContent } = await server.call("product", { id: "p7" })
  expect(structuredContent).toMatchObject({ id: "p7", name: "Chair", maker: { name: "Acme" } })
  expect(shop.asked.at(-1)?.headers.authorization).toBe("Bearer t0ken-value")
  const selected = await server.call("product", { id: "p7", select: "{ name maker { name } }" })
  expect(selected.structuredContent).toEqual({ name: "Chair", maker: { name: "Acme" } })
  expect(await server.call("product", { id: "none" })).toMatchObject({ content: [{ text: "null" }] })
  expect(await server.call("broken")).toMatchObject({ isError: true })
  const before = shop.asked.length
  for (const select of ["{ id } } mutation { count", "{ id", "} {"])
    expect(await server.call("product", { id: "p7", select })).toMatchObject({ isError: true })
  expect(shop.asked).toHaveLength(before)
})
