import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { JsonObject } from "../../model/json.ts"
import { toHandlerModule } from "../../sources/prompt/generate/handler-text.ts"
import type { PlannedTool } from "../../sources/prompt/model.ts"
import { ADD_ITEM, BODIES, GET_ITEM, SLUG } from "../../sources/prompt/prompt.fixture.ts"
import type { Generated } from "../../sources/prompt/store/generated.ts"
import { folderOf, store } from "../../sources/prompt/store/store.ts"
import type { Sample } from "../../sources/prompt/verify/verify-tool.ts"
import { openYard, type Yard } from "./eject.fixture.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
beforeEach(() => {
  yard = openYard({
    shelf: { type: "prompt", prompt: "The shelf at https://api.shelf.example", rename: { slug: "to_slug" } },
  })
})
afterEach(() => yard.close())

const TOOLS: [PlannedTool, string][] = [
  [GET_ITEM, BODIES.get_item],
  [ADD_ITEM, BODIES.add_item],
  [SLUG, BODIES.slug],
]
const ITEM = "https://api.shelf.example/v1/items"

const sample = (args: JsonObject, sent: JsonObject[], outcome: Sample["outcome"]): Sample => ({
  case: JSON.stringify(args),
  args,
  requests: sent.map(one => ({ headers: {}, from: "documentation", ...one })) as Sample["requests"],
  outcome,
})

const LAMP = { status: 200, body: { id: 7, title: "Lamp", tags: ["light"] } }

/** As `boot` leaves it behind. */
async function keep(more: Partial<Generated> = {}): Promise<void> {
  const generated: Generated = {
    plan: { description: "A shelf.", tools: [...TOOLS.map(([tool]) => tool), { ...SLUG, name: "broken" }] },
    handlers: new Map([
      ...TOOLS.map(([tool, body]) => [tool.name, toHandlerModule(body, tool)] as const),
      ["broken", "export default 1"],
    ]),
    whitelist: { prompt: ["api.shelf.example"], pages: ["docs.shelf.example"] },
    report: {
      tools: [
        { name: "broken", verdict: "quarantined", reason: "it does not work", repairs: 3, cases: [], findings: [] },
      ],
      warnings: [],
    },
    examples: {
      get_item: [
        sample({ id: "a b" }, [{ method: "GET", url: `${ITEM}/a%20b`, response: LAMP }], {
          value: { title: "Lamp", tags: ["LIGHT"] },
        }),
        sample({ id: "x" }, [{ method: "GET", url: `${ITEM}/x`, response: { status: 404, body: "gone" } }], {
          error: "404",
        }),
        sample({ id: "slow" }, [{ method: "GET", url: `${ITEM}/slow`, response: { error: "timeout" } }], {
          error: "timeout",
        }),
      ],
      add_item: [
        sample(
          { title: "Lamp" },
          [{ method: "POST", url: ITEM, body: '{"title":"Lamp"}', response: { status: 200, body: { id: 8 } } }],
          { value: { id: 8 } },
        ),
      ],
      slug: [sample({ title: "A B" }, [], { value: { slug: "a-b" } })],
    },
    ...more,
  }
  const folder = folderOf(join(yard.root, ".toolyard", "generated"), "shelf")
  await store(folder, generated, { prompt: "The shelf", pages: [], problem: () => {} })
}

describe("a server that was generated from a prompt", () => {
  it("B15 keeps its handlers, its hosts and the cases that it was tried with, as tests", async () => {
    await keep()
    const ejected = await yard.eject("shelf")
    expect(ejected.everything()).not.toMatch(/toolyard/i)
    expect(ejected.tools.map(({ name }) => name)).toEqual(["get_item", "add_item", "to_slug"])
    expect(ejected.warnings).toEqual([expect.stringContaining("broken is left out: quarantined")])
    expect(ejected.read("src/hosts.ts")).toContain('named: ["api.shelf.example"], public: ["docs.shelf.example"]')
    expect(ejected.check()).toBe("")
    const { status, pass, fail, output } = ejected.test()
    expect({ status, pass, fail }, output).toEqual({ status: 0, pass: 7, fail: 0 })

    await using server = ejected.start()
    expect((await server.request("tools/list")).tools).toEqual(ejected.tools)
    expect((await server.call("to_slug", { title: "A  B" })).structuredContent).toEqual({ slug: "a-b" })
  })

  it("reaches no host that is not listed, and none inside that only a page has named", async () => {
    const tool = { ...SLUG, name: "look", inputSchema: { type: "object", properties: { url: { type: "string" } } } }
    const code = "export default async (args: any, fetch: any) => ({ text: await (await fetch(args.url)).text() })\n"
    await keep({
      plan: { description: "", tools: [tool] },
      handlers: new Map([["look", code]]),
      whitelist: { prompt: [], pages: ["localhost", "127.0.0.1"] },
      report: { tools: [], warnings: [] },
      examples: {},
    })
    const ejected = await yard.eject("shelf")
    await using server = ejected.start()
    const look = async (url: string): Promise<string> => {
      const { isError, content } = await server.call("look", { url })
      expect(isError).toBe(true)
      return (content as { text: string }[])[0]?.text ?? ""
    }
    expect(await look("https://elsewhere.example/")).toMatch(/elsewhere\.example may not be fetched from.*hosts\.ts/)
    expect(await look("http://127.0.0.1:9/")).toMatch(/not a public address/)
    expect(await look("http://localhost:9/")).toMatch(/not a public address/)
    expect(await look("file:///etc/passwd")).toMatch(/can't be fetched/)
  })

  it("B14 is a table of operations where a description says it all", async () => {
    const text = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Shelf", version: "1" },
      servers: [{ url: "https://api.shelf.example" }],
      paths: {
        "/items/{id}": {
          get: {
            operationId: "item",
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          },
        },
      },
    })
    await keep({ description: { kind: "openapi", url: "https://api.shelf.example/openapi.json", text } })
    const ejected = await yard.eject("shelf")
    expect(ejected.tools.map(({ name }) => name)).toEqual(["item"])
    const { status, output } = ejected.test()
    expect(status, output).toBe(0)
  })
})
