import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { type HostCase, startHost, textOf } from "./host-case.ts"

function startTransforms(files: Record<string, string>): HostCase {
  return startHost(
    files,
    Object.keys(files)
      .filter(name => /^(tools|resources|prompts)\./.test(name))
      .flatMap(name => ["--transform", `${name.split(".")[0]}=${name}`]),
  )
}
const transform = (host: HostCase, list: string, items: JsonObject[] = []): Promise<JsonObject> =>
  host.request("toolyard/transform", { list, items, server: "mine" })

describe("transforms", () => {
  it("V11 compute a list from the list that there was", async () => {
    await using host = startTransforms({
      "tools.ts": `import { suffix } from "./suffix.ts"
        export default async (items: any[], { server, list }: any) =>
          items.filter(item => item.name !== "gone").map(item => ({ ...item, name: item.name + suffix, title: server + list }))`,
      "suffix.ts": "export const suffix: string = '_v2'",
    })
    const tools = [{ name: "a", inputSchema: { type: "object" }, odd: 1 }, { name: "gone" }]
    expect(await transform(host, "tools", tools)).toMatchObject({
      result: { items: [{ name: "a_v2", title: "minetools", odd: 1, inputSchema: { type: "object" } }] },
    })
    const { result } = await host.request("initialize")
    expect(result).toMatchObject({
      capabilities: {
        experimental: { "toolyard/files": { files: [`${host.folder}/tools.ts`, `${host.folder}/suffix.ts`] } },
      },
    })
    expect(await transform(host, "prompts")).toMatchObject({ error: { code: -32602 } })
  })

  it("V11 leave the schemas of a server's own tools as they are", async () => {
    await using host = startTransforms({ "tools.js": "export default items => items" })
    const tools = [
      { name: "a", inputSchema: { $ref: "#/$defs/A", $defs: { A: {} } }, outputSchema: { anyOf: [{ type: "array" }] } },
      { name: "b", inputSchema: true },
    ]
    expect((await transform(host, "tools", tools)).result).toEqual({ items: tools })
  })

  it("V11 may give tools that they run themselves", async () => {
    await using host = startTransforms({
      "tools.ts": `import { z } from "zod"
        export default {
          plain: { description: "Only said.", text: "x" },
          add: { inputSchema: z.object({ a: z.number(), b: z.number().default(1) }), outputSchema: z.number(), _meta: { own: 1 },
            run: ({ a, b }: any, context: any) => { context.progress(1); return a + b } },
          fails: { execute() { throw new Error("it does") } },
        }`,
    })
    const { items } = (await transform(host, "tools")).result as { items: JsonObject[] }
    expect(items).toMatchObject([
      { name: "plain", description: "Only said.", text: "x" },
      {
        name: "add",
        inputSchema: { type: "object", properties: { a: { type: "number" } } },
        outputSchema: { properties: { result: { type: "number" } } },
        _meta: { own: 1, "toolyard/handled": true },
      },
      { name: "fails", inputSchema: { type: "object" }, _meta: { "toolyard/handled": true } },
    ])
    expect((await host.call("add", { a: 2 }, { progressToken: 1 })).structuredContent).toEqual({ result: 3 })
    await host.next("notifications/progress")
    expect(await host.call("add", { a: "x" })).toMatchObject({ isError: true })
    expect(textOf(await host.call("fails"))).toBe("it does\n    at tools.ts:6:38")
    expect(await host.request("tools/call", { name: "plain" })).toMatchObject({ error: { code: -32602 } })
  })

  it("V11 may give resources that they read themselves, templates too", async () => {
    await using host = startTransforms({
      "resources.ts": `export default () => ({
        "note://one": { name: "One", mimeType: "text/markdown", read: () => "# One" },
        "note://json": { read: async () => ({ a: 1 }) },
        "note://bytes": { read: () => new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
        "note://own": { read: () => ({ contents: [{ uri: "note://other", text: "t" }, { blob: new Uint8Array([1]) }] }) },
        "note://fails": { read() { throw new Error("unreadable") } },
        "note://by-id/{id}{?full}": { read: (uri: string) => uri },
        "note://any/{+path}": { read: (uri: string) => "any " + uri },
        "note://plain": { text: "in the configuration" },
      })`,
    })
    const { items } = (await transform(host, "resources")).result as { items: JsonObject[] }
    expect(items[0]).toEqual({
      uri: "note://one",
      name: "One",
      mimeType: "text/markdown",
      _meta: { "toolyard/handled": true },
    })
    expect(items[5]).toMatchObject({ uriTemplate: "note://by-id/{id}{?full}" })
    const read = async (uri: string): Promise<unknown> => {
      const { result, error } = await host.request("resources/read", { uri })
      return result ? (result as JsonObject).contents : error
    }
    expect(await read("note://one")).toEqual([{ uri: "note://one", mimeType: "text/markdown", text: "# One" }])
    expect(await read("note://json")).toEqual([{ uri: "note://json", mimeType: "application/json", text: '{"a":1}' }])
    expect(await read("note://bytes")).toEqual([{ uri: "note://bytes", mimeType: "image/png", blob: "iVBORw0KGgo=" }])
    expect(await read("note://own")).toEqual([
      { uri: "note://other", text: "t" },
      { uri: "note://own", blob: "AQ==" },
    ])
    expect(await read("note://by-id/5?full=1")).toMatchObject([{ text: "note://by-id/5?full=1" }])
    expect(await read("note://any/a/b")).toMatchObject([{ text: "any note://any/a/b" }])
    expect(await read("note://fails")).toMatchObject({
      message: expect.stringContaining("unreadable\n    at resources.ts:6"),
    })
    for (const uri of ["note://by-id/5/6", "note://plain", "__proto__"])
      expect(await read(uri)).toMatchObject({ code: -32002 })
  })

  it("V11 may give prompts that they write themselves", async () => {
    await using host = startTransforms({
      "prompts.js": `export default [
        { name: "text", arguments: [{ name: "who" }], get: ({ who }) => "Hello " + who },
        { name: "message", render: () => ({ role: "assistant", content: "Hi" }) },
        { name: "many", get: async () => ["a", { role: "assistant", content: { type: "text", text: "b" } }] },
        { name: "whole", get: () => ({ description: "d", messages: [{ role: "user", content: "c" }] }) },
      ]`,
    })
    await transform(host, "prompts")
    const get = async (name: string, args?: JsonObject): Promise<unknown> => {
      return (await host.request("prompts/get", { name, ...(args && { arguments: args }) })).result
    }
    const message = (role: string, text: string): JsonObject => ({ role, content: { type: "text", text } })
    expect(await get("text", { who: "Bo" })).toEqual({ messages: [message("user", "Hello Bo")] })
    expect(await get("message")).toEqual({ messages: [message("assistant", "Hi")] })
    expect(await get("many")).toEqual({ messages: [message("user", "a"), message("assistant", "b")] })
    expect(await get("whole")).toEqual({ description: "d", messages: [message("user", "c")] })
    expect(await host.request("prompts/get", { name: "none" })).toMatchObject({ error: { code: -32602 } })
  })

  it.each([
    ["[{ name: 'a', icon: () => {} }]", '"a": icon is a function'],
    [
      "[{ name: 'a', inputSchema: { type: 'object', properties: { n: { maximum: 5n } } } }]",
      '"a": inputSchema.properties.n.maximum is a bigint',
    ],
    ["[{ name: 'a', at: new Date(0) }]", '"a": at is a Date'],
    ["[{ name: 'a', n: Infinity }]", '"a": n is Infinity'],
    ["(() => { const item = { name: 'a' }; item.self = item; return [item] })()", "contains itself"],
    ["[{ title: 'a' }]", "item 1: has no name"],
    ["['a']", "item 1: is no object"],
    ["5", "neither an array nor an object"],
    ["() => { throw new Error('broken') }", "broken\n    at tools.js:1:30"],
  ])("V11 are refused by name when they give %s", async (made, message) => {
    await using host = startTransforms({ "tools.js": `export default ${made}` })
    const { error } = await transform(host, "tools")
    expect((error as JsonObject).message).toContain(message)
  })
})
