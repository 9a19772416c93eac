import { describe, expect, it } from "vitest"
import type { Answer, Definition, Hub } from "./hub.ts"
import { type Offers, type PathOf, replay, toStages } from "./replay.ts"
import type { Task, ToolRef } from "./yards.ts"

const ref = (name: string): ToolRef => ({
  server: "shop",
  tool: {
    name,
    description: "x ".repeat(200),
    inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  },
})
const pathOf: PathOf = ({ tool }) => `tools.shop.${tool.name}`
const definition = (name: string): Definition => ({ name, description: name, inputSchema: { type: "object" } })
const tools = [ref("list_orders"), ref("get_customer"), ref("send_mail")]
const task: Task = { text: "Write to the customer.", tools, queries: ["orders", "customers", "mail"] }
const offers: Offers = {
  direct: tools.map(({ tool }) => tool),
  code: ["search", "execute", "resume"].map(definition),
  auto: tools.map(({ tool }) => tool),
}

/** A hub that finds one tool for each of the three queries, and remembers what it was asked. */
function openHub(): Hub & { asked: { name: string; args: Record<string, string> }[] } {
  const asked: { name: string; args: Record<string, string> }[] = []
  const found: Record<string, string> = { orders: "list_orders", customers: "get_customer", mail: "send_mail" }
  return {
    asked,
    list: () => Promise.reject(new Error("not asked for")),
    stop: () => Promise.resolve(),
    async call(_path, name, args): Promise<Answer> {
      asked.push({ name, args: args as Record<string, string> })
      const { query, code } = args as Record<string, string>
      if (name === "search") return { text: `tools.shop.${found[query!]}(id: number)`, isError: false }
      return { text: "a result", isError: name === "execute" && code!.includes("Typo") }
    },
  }
}

describe("a replay", () => {
  it("calls in one turn what only reads, and waits before it writes", () => {
    expect(toStages(tools).map(stage => stage.map(({ tool }) => tool.name))).toEqual([
      ["list_orders", "get_customer"],
      ["send_mail"],
    ])
  })

  it("makes the same calls in every arm, and counts each arm's turns", async () => {
    const hub = openHub()
    const { accounts, problems } = await replay(task, hub, offers, pathOf, false)
    expect(problems).toEqual([])
    expect(accounts.direct?.turns).toBe(4)
    expect(accounts["parallel direct"]?.turns).toBe(3)
    expect(accounts["search, no code"]?.turns).toBe(3 + 3)
    expect(accounts["code mode"]?.turns).toBe(3 + 2)
    expect(accounts.auto).toBe(accounts["parallel direct"])
    expect(hub.asked.find(({ name }) => name === "execute")?.args.code).toBe(
      'const r1 = await Promise.all([\n  tools.shop.list_orders({"id":7}),\n  tools.shop.get_customer({"id":7}),\n])\n' +
        'return await tools.shop.send_mail({"id":7})',
    )
  })

  it("searches for nothing whose signature the description of execute shows already", async () => {
    const description = tools.map(tool => `${pathOf(tool)}(params: { id: number })`).join("\n")
    const execute = { ...definition("execute"), description }
    const { accounts } = await replay(
      task,
      openHub(),
      { ...offers, code: [definition("search"), execute] },
      pathOf,
      false,
    )
    expect(accounts["code mode"]?.turns).toBe(2)
    expect(accounts["search, no code"]?.turns).toBe(6)
  })

  it.each([
    ["only the names of tools and parameters", "tools.shop (3): list_orders(id), get_customer(id), send_mail(id)"],
    ["tools of the same name on another server", "tools.bank.list_orders(params: { id: number })"],
  ])("searches all the same where the description shows %s", async (_, description) => {
    const code = [definition("search"), { ...definition("execute"), description }]
    const { accounts } = await replay(task, openHub(), { ...offers, code }, pathOf, false)
    expect(accounts["code mode"]?.turns).toBe(3 + 2)
  })

  it("says which tool no search has found", async () => {
    const hub = openHub()
    const blind: Hub = {
      ...hub,
      call: async (path, name, args) =>
        name === "search" ? { text: "tools.bank.send_mail()", isError: false } : hub.call(path, name, args),
    }
    const { problems } = await replay(task, blind, offers, pathOf, false)
    expect(problems).toContain("no search found tools.shop.send_mail")
  })

  it("charges a refused script, its answer and the second script", async () => {
    const [neat, clumsy] = [
      await replay(task, openHub(), offers, pathOf, false),
      await replay(task, openHub(), offers, pathOf, true),
    ]
    expect(clumsy.problems).toEqual([])
    expect(clumsy.accounts["code mode"]!.turns).toBe(neat.accounts["code mode"]!.turns + 1)
    expect(clumsy.accounts["code mode"]!.total).toBeGreaterThan(neat.accounts["code mode"]!.total)
  })

  it("leaves out what a hub without code mode can't do", async () => {
    const { code: _code, ...direct } = offers
    const { accounts } = await replay(task, openHub(), direct, pathOf, false)
    expect(Object.keys(accounts)).toEqual(["direct", "parallel direct", "auto"])
  })
})
