/** Tools, resources and prompts that are written in the configuration, and command lines: through a real hub. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { afterEach, describe, expect, it } from "vitest"
import { rawServer, stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"
import { modern } from "./mcp-wire.ts"
import { openOwnYard } from "./own-yard.ts"

afterEach(async () => {
  await closeClients()
  await stopAll()
})

const NOTES = {
  type: "static",
  tools: {
    hello: { description: "Greets.", text: "Hello, {{name}}!" },
    pair: {
      structured: { left: "{{a}}", right: { twice: ["{{a}}", "{{a}}"] } },
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    },
    relay: { call: "notes__hello", arguments: { name: "relayed {{who}}" } },
    circle: { call: "notes__circle", arguments: {} },
  },
  resources: {
    "variable://motto": "Be brief.",
    "variable://bytes": { blob: "AP8=", mimeType: "application/octet-stream" },
    "file://./docs/guide.md": { name: "guide" },
    "file://docs/{+path}": { name: "any" },
    "server://notes/hello?name=live": { name: "live" },
    "server://notes/hello?name={who}": { name: "anyone" },
    "file://./docs/huge.bin": { name: "huge" },
  },
  prompts: {
    plain: { description: "No arguments.", text: "Say something." },
    review: {
      arguments: [
        { name: "file", required: true },
        { name: "tone", enum: ["kind", "keen", "strict"], default: "kind" },
        { name: "times", type: "integer" },
      ],
      messages: [
        { role: "user", content: "Review {{file}} in a {{tone}} tone." },
        { role: "assistant", content: { type: "text", text: "Which part?" } },
      ],
    },
  },
}
const FILES = { "docs/guide.md": "# Guide\n", "docs/deep/more.txt": "more", "outside.txt": "in the project" }

describe("a static server", { timeout: 60_000 }, () => {
  it.each(ERAS)("V5 V6 offers the tools that are written out, with valid schemas (%s)", async era => {
    const { hub, call, tools } = await openOwnYard(FILES, { mcpServers: { notes: NOTES } })
    await hub.waitUp("notes")
    const list = await tools("notes")
    expect(list.map(({ name }) => name)).toEqual(["hello", "pair", "relay", "circle"])
    for (const { inputSchema } of list) new Ajv2020({ strict: false }).compile(inputSchema as object)
    expect(list[0]).toMatchObject({ inputSchema: { properties: { name: { type: "string" } }, required: ["name"] } })
    expect(textOf(await call("notes", "hello", { name: "you" }, era))).toBe("Hello, you!")
    expect((await call("notes", "pair", { a: 4 }, era)).structuredContent).toEqual({
      left: 4,
      right: { twice: [4, 4] },
    })
    expect(textOf(await call("notes", "relay", { who: "me" }, era))).toBe("Hello, relayed me!")
    expect(await call("notes", "hello", {}, era)).toMatchObject({ isError: true })
    const unknown = await modern(`${hub.url}/mcp/notes`, "tools/call", { name: "helo", arguments: {} })
    expect(unknown.answer.error).toMatchObject({ code: -32602, message: expect.stringContaining("did you mean hello") })
  })

  it("V12 ends a circle of tools that call each other", async () => {
    const { hub, call } = await openOwnYard(FILES, { mcpServers: { notes: NOTES } })
    await hub.waitUp("notes")
    const circle = await call("notes", "circle")
    expect(circle.isError).toBe(true)
    expect(textOf(circle)).toContain("more than 16 deep")
  })

  it("V5 gives long lists page by page, and refuses a cursor that it did not give", async () => {
    const tools = Object.fromEntries(Array.from({ length: 10_345 }, (_, i) => [`tool_${i}`, { text: `${i}` }]))
    const { hub } = await openOwnYard({}, { mcpServers: { many: { type: "static", tools } } })
    await hub.waitUp("many")
    const names: string[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const { answer } = await modern(`${hub.url}/mcp/many`, "tools/list", cursor === undefined ? {} : { cursor })
      const page = answer.result as { tools: { name: string }[]; nextCursor?: string }
      names.push(...page.tools.map(({ name }) => name))
      sizes.push(page.tools.length)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(sizes).toEqual([5000, 5000, 345])
    expect(names).toEqual(Object.keys(tools))
    for (const bad of ["bogus", 7, ""]) {
      const { answer } = await modern(`${hub.url}/mcp/many`, "tools/list", { cursor: bad })
      expect(answer.error).toMatchObject({ code: -32602 })
    }
  })

  it.each(ERAS)("V7 reads variables, files, content and live results, as text or as bytes (%s)", async era => {
    const { hub, folder } = await openOwnYard(FILES, { mcpServers: { notes: NOTES } })
    await hub.waitUp("notes")
    const client = await connect(`${hub.url}/mcp/notes`, era)
    const read = async (uri: string): Promise<Json> =>
      (await client.readResource({ uri })).contents[0] as unknown as Json
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(Object.keys(NOTES.resources).filter(uri => !uri.includes("{")))
    for (const { uri } of resources) expect(URL.canParse(uri)).toBe(true)
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      Object.keys(NOTES.resources).filter(uri => uri.includes("{")),
    )
    expect(await read("variable://motto")).toMatchObject({ uri: "variable://motto", text: "Be brief." })
    expect(await read("variable://bytes")).toMatchObject({ blob: "AP8=" })
    expect(await read("file://./docs/guide.md")).toMatchObject({ text: "# Guide\n", mimeType: "text/markdown" })
    expect(await read("file://docs/deep/more.txt")).toMatchObject({ text: "more" })
    expect(await read("server://notes/hello?name=live")).toMatchObject({ text: "Hello, live!" })
    expect(await read("server://notes/hello?name=you")).toMatchObject({ text: "Hello, you!" })
    await expect(read("variable://none")).rejects.toThrow(/not found/)
    writeFileSync(join(folder, "docs/huge.bin"), Buffer.alloc(11 * 1024 * 1024))
    await expect(read("file://./docs/huge.bin")).rejects.toThrow(/10 MB/)
  })

  it("V7 V13 never reads a file outside of the project, or what the hub itself keeps there", async () => {
    const { hub, folder } = await openOwnYard(FILES, { mcpServers: { notes: NOTES } })
    await hub.waitUp("notes")
    const secret = join(folder, "..", `secret-${process.pid}.txt`)
    writeFileSync(secret, "top secret")
    symlinkSync(secret, join(folder, "docs/link.txt"))
    mkdirSync(join(folder, "docs/folder"), { recursive: true })
    symlinkSync(join(folder, ".toolyard"), join(folder, "docs/state"))
    const client = await connect(`${hub.url}/mcp/notes`, "legacy")
    const tries = [
      `file://docs/../../secret-${process.pid}.txt`,
      `file://docs/%2e%2e/%2e%2e/secret-${process.pid}.txt`,
      `file://docs/..%2f..%2fsecret-${process.pid}.txt`,
      "file://docs/link.txt",
      "file://docs//etc/passwd",
      "file:///etc/passwd",
      "file://docs/../.toolyard/hub.json",
      "file://docs/state/hub.json",
      "file://docs/folder",
      "file://docs/guide.md%00.txt",
    ]
    for (const uri of tries) await expect(client.readResource({ uri }), uri).rejects.toThrow()
    expect((await client.readResource({ uri: "file://docs/guide.md" })).contents).toHaveLength(1)
  })

  it("V7 tells subscribers when a file changes", async () => {
    const { hub, write } = await openOwnYard(FILES, { mcpServers: { notes: NOTES } })
    await hub.waitUp("notes")
    const client = await connect(`${hub.url}/mcp/notes`, "legacy")
    const updated: string[] = []
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri))
    await client.subscribeResource({ uri: "file://./docs/guide.md" })
    write("docs/guide.md", "# Changed\n")
    await until(() => updated.length > 0, "the subscriber to be told")
    expect(new Set(updated)).toEqual(new Set(["file://./docs/guide.md"]))
    expect((await client.readResource({ uri: "file://./docs/guide.md" })).contents).toMatchObject([
      { text: "# Changed\n" },
    ])
  })

  it.each(ERAS)("V8 has prompts with and without arguments, templated, checked and completed (%s)", async era => {
    const { hub } = await openOwnYard(FILES, { mcpServers: { notes: NOTES } })
    await hub.waitUp("notes")
    const client = await connect(`${hub.url}/mcp/notes`, era)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(["plain", "review"])
    expect((await client.getPrompt({ name: "plain" })).messages).toMatchObject([
      { content: { text: "Say something." } },
    ])
    const review = await client.getPrompt({ name: "review", arguments: { file: "a.ts" } })
    expect(review.messages).toMatchObject([
      { role: "user", content: { type: "text", text: "Review a.ts in a kind tone." } },
      { role: "assistant", content: { type: "text", text: "Which part?" } },
    ])
    const get = (args: Record<string, string>) => client.getPrompt({ name: "review", arguments: args })
    await expect(get({})).rejects.toThrow(/file/)
    await expect(get({ file: "a", tone: "rude" })).rejects.toThrow(/tone/)
    await expect(get({ file: "a", times: "often" })).rejects.toThrow(/times/)
    await expect(get({ file: "a", colour: "red" })).rejects.toThrow(/colour/)
    await expect(client.getPrompt({ name: "none" })).rejects.toMatchObject({ code: -32602 })
    const complete = async (name: string, value: string): Promise<string[]> => {
      const ref = { type: "ref/prompt" as const, name: "review" }
      return (await client.complete({ ref, argument: { name, value } })).completion.values
    }
    expect(await complete("tone", "k")).toEqual(["kind", "keen"])
    expect(await complete("file", "")).toEqual([])
    const ref = { type: "ref/resource" as const, uri: "file://docs/{+path}" }
    const paths = await client.complete({ ref, argument: { name: "path", value: "gui" } })
    expect(paths.completion.values).toContain("guide.md")
  })

  it("V5 lays what is written over what a server has itself", async () => {
    const raw = { ...rawServer(), tools: { hello: { text: "Hi {{name}}" } }, resources: { "variable://x": "1" } }
    const { hub, call, tools } = await openOwnYard({}, { mcpServers: { raw, only: { ...raw, discover: false } } })
    await hub.waitUp()
    expect((await tools("raw")).map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "hello"]))
    expect(textOf(await call("raw", "hello", { name: "you" }))).toBe("Hi you")
    expect((await call("raw", "echo", { text: "own" })).isError).not.toBe(true)
    expect((await tools("only")).map(({ name }) => name)).toEqual(["hello"])
  })
})

describe("a command", { timeout: 60_000 }, () => {
  const node = (script: string, ...args: string[]) => ({
    type: "command",
    command: process.execPath,
    args: ["-e", script, "--", ...args],
  })

  it.each(ERAS)("V10 is one tool; placeholders are its parameters, and no shell is involved (%s)", async era => {
    const echo = node("console.log(JSON.stringify(process.argv.slice(1)))", "{{first}}", "{{second?}}", "{{more...}}")
    const { hub, call, tools } = await openOwnYard({}, { mcpServers: { echo } })
    await hub.waitUp("echo")
    const [tool] = await tools("echo")
    expect(tool).toMatchObject({
      name: "echo",
      inputSchema: { properties: { first: { type: "string" }, more: { type: "array" } } },
    })
    const nasty = "$(id); `id` | cat > x && \"quoted\" 'single' \\ * ~"
    const answer = await call("echo", "echo", { first: nasty, more: ["a", "b c"] }, era)
    expect(JSON.parse(textOf(answer))).toEqual([nasty, "a", "b c"])
    expect(await call("echo", "echo", { first: 1, more: [] }, era)).toMatchObject({ isError: true })
  })

  it("V6 gives what the program prints, and its failure with what it says", async () => {
    const { hub, call } = await openOwnYard(
      { "servers/script.sh": '#!/bin/sh\n# Prints its arguments.\necho "$@"\ncat\n' },
      {
        mcpServers: {
          fails: node("console.error('disk on fire'); process.exit(7)"),
          bytes: node("process.stdout.write(Buffer.from([0x89,0x50,0x4e,0x47,0xd,0xa,0x1a,0xa,0,0xff]))"),
          missing: { type: "command", command: "no-such-program-anywhere" },
          slow: { ...node("setInterval(() => {}, 1000)"), timeoutMs: 300 },
        },
      },
    )
    await hub.waitUp("fails", "bytes", "slow", "script")
    const failed = await call("fails", "fails")
    expect(failed.isError).toBe(true)
    expect(textOf(failed)).toContain("disk on fire")
    expect(textOf(failed)).toContain("7")
    expect((await call("bytes", "bytes")).content).toMatchObject([{ type: "image", mimeType: "image/png" }])
    expect(textOf(await call("script", "script", { args: ["one", "two"], stdin: "three" }))).toBe("one two\nthree")
    expect(textOf(await call("script", "script"))).toBe("")
    expect(await call("slow", "slow")).toMatchObject({ _meta: { "toolyard/error": { code: "timeout" } } })
    expect(await hub.server("missing")).toMatchObject({
      state: "down",
      reason: expect.stringContaining("no-such-program"),
    })
    expect(await hub.server("script")).toMatchObject({ description: "Prints its arguments." })
  })

  it("V13 refuses a value that would pass for an option", async () => {
    const { hub, call } = await openOwnYard(
      {},
      { mcpServers: { list: { type: "command", command: "ls", args: ["{{path}}"] } } },
    )
    await hub.waitUp("list")
    const refused = await call("list", "list", { path: "--help" })
    expect(refused).toMatchObject({ isError: true, _meta: { "toolyard/error": { code: "invalid_arguments" } } })
  })
})
