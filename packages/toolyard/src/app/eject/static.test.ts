import { afterEach, expect, it, vi } from "vitest"
import { openYard, type Yard } from "./eject.fixture.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
afterEach(() => yard?.close())

it("B15 gives the same tools, resources and prompts, filled by the same rules", async () => {
  yard = openYard({
    notes: {
      type: "static",
      tools: {
        hi: { text: "Hello {{name=World}} and {{who?}}, \\{{plain}} $${HOME}" },
        sum: { structured: { a: "{{a:integer}}", deep: ["{{b?}}", { c: "{{c=x}}" }] }, title: "Sum" },
        list: { content: [{ type: "text", text: "{{what}}" }] },
        secret: { text: "${TOKEN} and ${WHO:-nobody}" },
        hidden: { text: "not offered" },
      },
      exclude: ["hidden"],
      rename: { list: "show" },
      resources: {
        "variable://x": "ex",
        "data://j": { json: { a: [1] } },
        "file://docs/a.md": {},
        "note://{id}": { text: "note {{id}}" },
      },
      prompts: { ask: { text: "Ask {{what}} in {{tone=plain}}", description: "Asks." } },
    },
  })
  yard.write("docs/a.md", "# A ${NOT_A_VARIABLE}\n")
  const ejected = await yard.eject("notes", { env: { TOKEN: "very-secret-value" } })
  expect(ejected.everything()).not.toContain("very-secret-value")
  expect(ejected.variables).toEqual([
    { name: "TOKEN", purpose: expect.any(String), required: true },
    { name: "WHO", purpose: expect.any(String), required: false },
  ])
  expect(ejected.tools.map(({ name }) => name)).toEqual(["hi", "sum", "show", "secret"])
  expect(ejected.check()).toBe("")
  const { status, fail, output } = ejected.test()
  expect({ status, fail }, output).toEqual({ status: 0, fail: 0 })

  await using server = ejected.start({ TOKEN: "at run time" })
  const text = async (name: string, args = {}): Promise<unknown> =>
    ((await server.call(name, args)).content as { text: string }[])[0]?.text
  expect(await text("hi")).toBe("Hello World and , {{plain}} ${HOME}")
  expect(await text("show", { what: "{{name}} ${TOKEN}" })).toBe("{{name}} ${TOKEN}")
  expect(await text("secret")).toBe("at run time and nobody")
  expect((await server.call("sum", { a: 1 })).structuredContent).toEqual({ a: 1, deep: [{ c: "x" }] })
  expect(await server.call("sum", { a: "one" })).toMatchObject({ isError: true })
  expect(await server.request("resources/read", { uri: "file://docs/a.md" })).toMatchObject({
    contents: [{ text: "# A ${NOT_A_VARIABLE}\n" }],
  })
  expect(await server.request("resources/read", { uri: "note://7" })).toMatchObject({ contents: [{ text: "note 7" }] })
  expect(await server.request("resources/read", { uri: "note:no" })).toMatchObject({ error: { message: /note:no/ } })
  expect(await server.request("prompts/get", { name: "ask", arguments: { what: "why" } })).toEqual({
    description: "Asks.",
    messages: [{ role: "user", content: { type: "text", text: "Ask why in plain" } }],
  })
  expect(await server.request("prompts/get", { name: "ask" })).toMatchObject({ error: { message: /"what".*missing/ } })
})
