/** Transforms: modules that compute what a server offers. */
import { afterEach, describe, expect, it } from "vitest"
import { stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"
import { openOwnYard } from "./own-yard.ts"

afterEach(async () => {
  await closeClients()
  await stopAll()
})

const FILES = {
  "base.ts": `/** Says a text. */
export function say(text: string): string { return text }
export function secret(): string { return "hidden" }
`,
  "computed-tools.ts": `export default function (tools: { name: string }[], { server }: { server: string }) {
  const kept = tools.filter(({ name }) => name !== "secret").map(tool => ({ ...tool, title: server + ": " + tool.name }))
  const made = ["red", "green"].map(colour => ({
    name: "paint_" + colour,
    description: "Paints it " + colour + ".",
    inputSchema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    run: ({ what }: { what: string }) => what + " is " + colour,
  }))
  return [...kept, ...made]
}
`,
  "computed-resources.ts": `export default async () => [
  { uri: "colour://red", name: "red", mimeType: "text/plain", read: () => "#f00" },
  { uri: "colour://bytes", name: "bytes", read: () => Uint8Array.from([0, 255]) },
  { uriTemplate: "colour://{name}/hex", name: "any", read: (uri: string) => ({ asked: uri }) },
]
`,
  "computed-prompts.ts": `export default () => ({
  paint: { description: "Asks for paint.", arguments: [{ name: "what", required: true }], get: ({ what }: { what: string }) => "Paint " + what },
})
`,
}
const ENTRY = {
  type: "module",
  file: "./base.ts",
  transforms: { tools: "./computed-tools.ts", resources: "./computed-resources.ts", prompts: "./computed-prompts.ts" },
}

describe("a transform", { timeout: 60_000 }, () => {
  it.each(ERAS)("V11 V5 computes tools, resources and prompts, and answers for those that it made (%s)", async era => {
    const { hub } = await openOwnYard(FILES, { mcpServers: { base: ENTRY } })
    await hub.waitUp("base")
    const client = await connect(`${hub.url}/mcp/base`, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name, title }) => [name, title])).toEqual([
      ["say", "base: say"],
      ["paint_red", undefined],
      ["paint_green", undefined],
    ])
    expect(textOf(await client.callTool({ name: "say", arguments: { text: "hi" } }))).toBe("hi")
    expect(textOf(await client.callTool({ name: "paint_red", arguments: { what: "door" } }))).toBe("door is red")
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(["colour://red", "colour://bytes"])
    expect((await client.readResource({ uri: "colour://red" })).contents).toMatchObject([{ text: "#f00" }])
    expect((await client.readResource({ uri: "colour://bytes" })).contents).toMatchObject([{ blob: "AP8=" }])
    const [computed] = (await client.readResource({ uri: "colour://blue/hex" })).contents as unknown as Json[]
    expect(JSON.parse(computed?.text as string)).toEqual({ asked: "colour://blue/hex" })
    const prompt = await client.getPrompt({ name: "paint", arguments: { what: "walls" } })
    expect(prompt.messages).toMatchObject([{ content: { type: "text", text: "Paint walls" } }])
  })

  it("V11 is computed anew when its file or the server's list changes; a broken edit keeps what there was", async () => {
    const { hub, write } = await openOwnYard(FILES, { mcpServers: { base: ENTRY } })
    await hub.waitUp("base")
    const names = async (): Promise<string[]> => {
      const client = await connect(`${hub.url}/mcp/base`, "modern")
      return (await client.listTools()).tools.map(({ name }) => name)
    }
    write("base.ts", `${FILES["base.ts"]}export function more(): string { return "more" }\n`)
    await until(async () => (await names()).includes("more"), "the new function, transformed")
    write(
      "computed-tools.ts",
      "export default () => [{ name: 'only', inputSchema: { type: 'object' }, run: () => 'one' }]",
    )
    await until(async () => (await names()).join() === "only", "the new transform")
    write("computed-tools.ts", "export default () => { throw new Error('no colours left') }")
    await until(async () => (await hub.server("base")).reason?.includes("no colours left") === true, "the error")
    expect(await names()).toEqual(["only"])
    expect((await hub.server("base")).state).toBe("up")
  })

  it("V11 that can't be loaded makes its server down, with the reason", async () => {
    const { hub } = await openOwnYard(
      { ...FILES, "computed-tools.ts": "export default (" },
      { mcpServers: { base: ENTRY } },
    )
    await until(async () => (await hub.server("base")).state === "down", "the server to be down")
    expect((await hub.server("base")).reason).toContain("computed-tools.ts:1")
  })
})
