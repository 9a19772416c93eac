import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import type { ToolDefinition } from "../model/mcp.ts"
import { CALLER, openTestCatalog, type TestServer, tool } from "./catalog.fixture.ts"
import { describeYard } from "./describe-yard.ts"

const STRING = { type: "string" }
const many = (count: number): ToolDefinition[] =>
  Array.from({ length: count }, (_, n) => tool(`do_thing_${n}`, { first_value: STRING, second_value: STRING }))

const described = async (servers: Record<string, TestServer>, budget?: number): Promise<string> =>
  describeYard((await openTestCatalog(servers)).catalog, CALLER, budget)

describe("the catalog in few words", () => {
  it("says when there are no servers", async () => {
    expect(await described({})).toBe("There are no servers yet.")
  })

  it("is COMPLETE with every type when there is room, in the order of the configuration", async () => {
    const zoo = { description: "Animals", tools: [tool("feed", { name: STRING })] }
    expect(await described({ zoo, bank: { tools: [tool("pay")] } })).toBe(
      [
        "Catalog (COMPLETE):",
        "# zoo (1 tool): Animals",
        "tools.zoo.feed(params: { name: string }): Promise<any>",
        "# bank (1 tool)",
        "tools.bank.pay(): Promise<any>",
      ].join("\n"),
    )
  })

  it("gives up the types before it gives up a tool, and says where they are", async () => {
    const text = await described({ zoo: { tools: many(30) } }, 600)
    expect(text).toMatch(/^Catalog \(COMPLETE list; search gives the types\):\n# zoo \(30 tools\)\n/)
    expect(text).toContain("tools.zoo.doThing29(first_value, second_value)")
    expect(text).not.toContain("string")
  })

  it("is PARTIAL when not even the names fit, and names every server with the number of its tools", async () => {
    const text = await described({ zoo: { tools: many(200) }, bank: { tools: many(100) } }, 300)
    expect(text).toMatch(/^Catalog \(PARTIAL: use search for the rest\):\n/)
    expect(text).toMatch(/^tools\.zoo \(200\): doThing0\(.*, …$/m)
    expect(text).toMatch(/^tools\.bank \(100\): doThing0\(.*, …$/m)
  })

  it("shares the room fairly: a small server is shown whole before a large one gets more", async () => {
    const text = await described({ large: { tools: many(500) }, small: { tools: many(3) } }, 300)
    const [, large = "", small = ""] = text.split("\n")
    expect(small).toMatch(/^tools\.small \(3\): doThing0\(.*\), doThing1\(.*\), doThing2\([^…]*\)$/)
    expect(large.split("doThing").length).toBeGreaterThan(small.split("doThing").length)
  })

  it.each([200, 500, 1_000, 2_000])("keeps to a budget of %i tokens, whatever the yard", async budget => {
    for (const counts of [[3], [40], [10, 300], [400, 1, 1, 1], Array<number>(12).fill(40)]) {
      const servers = Object.fromEntries(counts.map((count, n) => [`server_${n}`, { tools: many(count) }]))
      // The estimate by which it measures is a little off.
      expect(countTokens(await described(servers, budget)), String(counts)).toBeLessThan(budget * 1.15)
    }
  })

  it("names every server even when there is no room for anything else", async () => {
    const servers = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`s${n}`, { tools: many(20) }]))
    const text = await described(servers, 50)
    for (const name of Object.keys(servers)) expect(text).toContain(`tools.${name} (20)`)
  })

  it("shows neither what a policy denies nor servers that are disabled", async () => {
    const servers = {
      zoo: { tools: [tool("feed"), tool("delete_all"), tool("ask_keeper")] },
      off: { tools: [tool("x")], enabled: false },
    }
    const rules = [
      { match: ["zoo__delete_*"], do: "deny" as const },
      { match: ["zoo__ask_*"], do: "ask" as const },
    ]
    const { catalog } = await openTestCatalog(servers, { rules })
    const text = describeYard(catalog, CALLER)
    expect(text).toContain("# zoo (2 tools)")
    expect(text).toContain("askKeeper")
    expect(text).not.toContain("deleteAll")
    expect(text).not.toContain("off")
  })

  it("leaves out what a read-only caller may not call", async () => {
    const writes = tool("write", {}, { annotations: { readOnlyHint: false } })
    const { catalog } = await openTestCatalog({ zoo: { tools: [tool("read"), writes] } })
    expect(describeYard(catalog, { ...CALLER, readOnly: true })).not.toContain("write")
    expect(describeYard(catalog, CALLER)).toContain("write")
  })

  it("names a server that is down, and that it is", async () => {
    const servers = { zoo: { tools: [tool("feed")] }, lost: { tools: [], state: "down" as const } }
    expect(await described(servers)).toContain("# lost (0 tools, down)")
    expect(await described({ ...servers, large: { tools: many(500) } }, 200)).toContain("tools.lost (0, down)")
  })

  it("keeps a description to one short line", async () => {
    const description = `Animals\n\nand ${"more ".repeat(100)}`
    const [, head = ""] = (await described({ zoo: { description, tools: [tool("feed")] } })).split("\n")
    expect(head).toMatch(/^# zoo \(1 tool\): Animals and more .*…$/)
    expect(head.length).toBeLessThan(120)
  })
})
