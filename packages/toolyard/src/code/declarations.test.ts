import { describe, expect, it } from "vitest"
import { openTestCatalog, tool } from "./catalog.fixture.ts"
import { createTypes } from "./declarations.ts"

const NOTHING = { schemaOf: () => undefined }
const NUMBER = { type: "number" }
const SERVERS = () => ({
  "my-zoo": { tools: [tool("feed_animal", { id: NUMBER }), tool("count")] },
  bank: { tools: [tool("pay", { amount: NUMBER })] },
})

describe("the declarations for the check", () => {
  it("are the same object until the catalog changes, and then only the changed server's text is new", async () => {
    const { catalog, offer } = await openTestCatalog(SERVERS())
    const types = createTypes(catalog, NOTHING)
    const before = types.declarations()
    expect(types.declarations()).toBe(before)
    offer("bank", [tool("lend", { amount: NUMBER })])
    const after = types.declarations()
    expect(after.version).not.toBe(before.version)
    expect(after.files.get("bank")).toContain("lend(")
    expect(after.files.get("bank")).not.toContain("pay(")
    expect(after.files.get("myZoo")).toBe(before.files.get("myZoo"))
  })

  it("don't hold what was learned, which could make a right script wrong", async () => {
    const { catalog } = await openTestCatalog(SERVERS())
    const schema = { type: "object", properties: { left: NUMBER } }
    const types = createTypes(catalog, { schemaOf: () => ({ schema, calls: 3 }) })
    expect(types.declarations().files.get("bank")).not.toContain("left")
    expect(types.render({ server: "bank" })).toMatch(/learned from 3 calls[\s\S]*left\?: number/)
  })
})

describe("the types that people read", () => {
  it("T10 are of everything, of one server, or of one tool, by either of its names", async () => {
    const types = createTypes((await openTestCatalog(SERVERS())).catalog, NOTHING)
    expect(types.render({})).toMatch(/feedAnimal[\s\S]*pay/)
    for (const server of ["my-zoo", "myZoo"]) {
      expect(types.render({ server })).toContain("feedAnimal(")
      expect(types.render({ server })).not.toContain("pay(")
      for (const named of ["feed_animal", "feedAnimal"]) {
        const text = types.render({ server, tool: named })
        expect(text).toContain("MyZooFeedAnimalParams")
        expect(text).not.toContain("count(")
      }
    }
  })

  it("T10 name what is nearest when there is no such server or tool", async () => {
    const types = createTypes((await openTestCatalog(SERVERS())).catalog, NOTHING)
    expect(() => types.render({ server: "banc" })).toThrow('there is no server "banc"; did you mean "bank"?')
    expect(() => types.render({ server: "bank", tool: "pey" })).toThrow('bank has no tool "pey"; did you mean "pay"?')
  })

  it("list the names for the sandbox", async () => {
    const types = createTypes((await openTestCatalog(SERVERS())).catalog, NOTHING)
    expect(JSON.parse(types.names())).toEqual({ myZoo: ["feedAnimal", "count"], bank: ["pay"] })
  })
})
