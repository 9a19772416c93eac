/** TypeScript and JavaScript files as servers: through a real hub, from the file to the client. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { stopAll, until } from "../fixtures/hub.ts"
import { isAlive } from "../fixtures/processes.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"
import { openOwnYard } from "./own-yard.ts"

afterEach(async () => {
  await closeClients()
  await stopAll()
})

const MATH = `/** Sums and the like. */
import type { ToolContext } from "toolyard"
import { twice, type Pair } from "../lib/pair.ts"

/**
 * Adds two numbers.
 * @param a - The first.
 * @param b - The second. {@minimum 0}
 * @readOnly
 */
export function add(a: number, b: number): number {
  return a + b
}

/** Adds up a pair, twice. */
export const addPair = ({ left, right = 1 }: Pair): { sum: number } => ({ sum: twice(left + right) })

export enum Mode { Up = "up", Down = "down" }
/** Rounds. */
export async function round(value: number, mode: Mode = Mode.Up): Promise<number> {
  return mode === Mode.Up ? Math.ceil(value) : Math.floor(value)
}

/** Counts. */
export async function* count(to: number): AsyncGenerator<number> {
  for (let i = 1; i <= to; i++) yield i
}

export function picture(): Uint8Array {
  return Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])
}

export function fail(): never {
  throw new RangeError("out of range")
}

export async function throughOthers(text: string, context: ToolContext): Promise<unknown> {
  await context.progress(1, 2, "half way")
  context.log.info("at work")
  return context.call("other__echo", { text })
}

export async function askName(context: ToolContext): Promise<string> {
  const { name } = await context.ask("Who are you?", { type: "object", properties: { name: { type: "string" } } }) as { name: string }
  return \`Hello, \${name}\`
}

export function loop(): void { for (;;); }
export function leave(): void { process.exit(3) }
export function printing(): string { console.log("not for the wire"); process.stdout.write("nor this\\n"); return "ok" }
export function sleep(ms: number): Promise<string> { return new Promise(resolve => setTimeout(resolve, ms, "slept")) }

export function _private(): string { return "hidden" }
function internal(): string { return "hidden" }
export const notAFunction = 1
`
const PAIR = `export interface Pair { /** The left one. */ left: number; right?: number }
export const twice = (n: number): number => n * 2
`
const FILES = {
  "servers/math.ts": MATH,
  "lib/pair.ts": PAIR,
  "servers/other.js": "/** Echoes. @param {string} text */\nexport function echo(text) { return { said: text } }\n",
}

describe("a module", { timeout: 60_000 }, () => {
  it("V10 in the folder servers is a server without any entry; its exported functions are tools", async () => {
    const { hub, tools } = await openOwnYard(FILES)
    await hub.waitUp("math", "other")
    const list = await tools("math")
    expect(list.map(({ name }) => name)).toEqual(
      "add addPair round count picture fail throughOthers askName loop leave printing sleep".split(" "),
    )
    expect(list[0]).toMatchObject({
      description: "Adds two numbers.",
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: "object",
        properties: {
          a: { type: "number", description: "The first." },
          b: { type: "number", description: "The second.", minimum: 0 },
        },
        required: ["a", "b"],
      },
    })
    expect(list[1]).toMatchObject({
      inputSchema: {
        properties: { left: { type: "number", description: "The left one." }, right: { type: "number", default: 1 } },
        required: ["left"],
      },
      outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    })
    expect(list[2]).toMatchObject({ inputSchema: { properties: { mode: { enum: ["up", "down"], default: "up" } } } })
    expect((await hub.servers()).find(({ name }) => name === "math")).toMatchObject({ type: "module", state: "up" })
  })

  it.each(ERAS)("V6 answers calls: values, objects, bytes, streams, errors (%s)", async era => {
    const { hub, call } = await openOwnYard(FILES)
    await hub.waitUp("math", "other")
    const add = await call("math", "add", { a: 1, b: 2 }, era)
    expect(add).toMatchObject({ content: [{ type: "text", text: "3" }], structuredContent: { result: 3 } })
    expect((await call("math", "addPair", { left: 2 }, era)).structuredContent).toEqual({ sum: 6 })
    expect(textOf(await call("math", "round", { value: 1.5, mode: "down" }, era))).toBe("1")
    expect((await call("math", "picture", {}, era)).content).toEqual([
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgoAAA==" },
    ])
    expect(textOf(await call("math", "printing", {}, era))).toBe("ok")
    const failed = await call("math", "fail", {}, era)
    expect(failed.isError).toBe(true)
    expect(textOf(failed)).toContain("out of range")
    const refused = await call("math", "add", { a: 1, b: "2" }, era)
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain("b")
    const heard: Json[] = []
    const client = await connect(`${hub.url}/mcp/math`, era)
    const counted = await client.callTool(
      { name: "count", arguments: { to: 3 } },
      { onprogress: progress => void heard.push(progress as unknown as Json) },
    )
    expect((counted.structuredContent as Json).result).toEqual([1, 2, 3])
    expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3])
  })

  it("gives functions a context: other tools through the one pipeline, progress, and questions to the caller", async () => {
    const yard = await openOwnYard(FILES, {
      policy: { rules: [{ match: "other__*", caller: "stranger", do: "deny" }] },
    })
    await yard.hub.waitUp("math", "other")
    expect((await yard.call("math", "throughOthers", { text: "hi" })).structuredContent).toEqual({ said: "hi" })
    const stranger = await connect(`${yard.hub.url}/mcp/math`, "legacy", { name: "stranger" })
    const denied = await stranger.callTool({ name: "throughOthers", arguments: { text: "hi" } })
    expect(denied.isError).toBe(true)
    expect(textOf(denied)).toContain("may not be called")
    for (const era of ERAS) {
      const client = await connect(`${yard.hub.url}/mcp/math`, era, { elicit: () => ({ name: era }) })
      expect(textOf(await client.callTool({ name: "askName", arguments: {} }))).toBe(`Hello, ${era}`)
    }
  })

  it("asks the client whose call it is, however many call at once", async () => {
    const { hub } = await openOwnYard(FILES)
    await hub.waitUp("math")
    const names = ["a", "b", "c", "d"]
    const answers = await Promise.all(
      names.map(async name => {
        const client = await connect(`${hub.url}/mcp/math`, "legacy", { name, elicit: () => ({ name }) })
        return textOf(await client.callTool({ name: "askName", arguments: {} }))
      }),
    )
    expect(answers).toEqual(names.map(name => `Hello, ${name}`))
  })

  it("harms nobody by an endless loop or an exit: the call ends, the server is back, the others never noticed", async () => {
    const { hub, call } = await openOwnYard(FILES, { mcpServers: { math: { tools: { loop: { timeoutMs: 300 } } } } })
    await hub.waitUp("math", "other")
    const looping = call("math", "loop")
    expect(textOf(await call("other", "echo", { text: "well" }))).toContain("well")
    const looped = await looping
    expect(looped).toMatchObject({ isError: true, _meta: { "toolyard/error": { code: "timeout" } } })
    const before = (await hub.server("math")).pid as number
    await until(() => !isAlive(before), "the looping process to be gone")
    await until(async () => textOf(await call("math", "add", { a: 1, b: 1 })) === "2", "the module to be back")
    expect(await call("math", "leave")).toMatchObject({
      isError: true,
      _meta: { "toolyard/error": { code: "upstream_crashed" } },
    })
    await until(async () => textOf(await call("math", "add", { a: 1, b: 1 })) === "2", "the module to be back again")
  })

  it("is reloaded when it or what it imports is edited; a broken edit keeps the last good version and shows why", async () => {
    const { hub, call, write, tools } = await openOwnYard(FILES)
    await hub.waitUp("math")
    const client = await connect(`${hub.url}/mcp/math`, "legacy")
    let told = 0
    client.setNotificationHandler("notifications/tools/list_changed", () => void told++)
    const slow = client.callTool({ name: "sleep", arguments: { ms: 1500 } })

    write("lib/pair.ts", PAIR.replace("n * 2", "n * 20"))
    await until(
      async () => textOf(await call("math", "addPair", { left: 1 })) === '{"sum":40}',
      "the import's new code",
    )
    write("servers/math.ts", `${MATH}\n/** New. */\nexport function extra(): string { return "new" }\n`)
    await until(async () => (await tools("math")).some(({ name }) => name === "extra"), "the new function")
    await until(() => told > 0, "the client to be told")
    // What was under way when the file was edited ends where it began.
    expect(textOf(await slow)).toBe("slept")

    write("servers/math.ts", `${MATH}\nexport function broken( {`)
    await until(async () => (await hub.server("math")).reason !== undefined, "the error to be shown")
    const { state, reason } = await hub.server("math")
    expect(state).toBe("up")
    expect(reason).toMatch(/math\.ts:\d+/)
    expect(textOf(await call("math", "extra"))).toBe("new")

    write("servers/math.ts", MATH)
    await until(async () => (await hub.server("math")).reason === undefined, "the error to be gone")
    expect((await tools("math")).map(({ name }) => name)).not.toContain("extra")
  })

  it("that is broken from the start is down with the reason, and comes up when it is mended", async () => {
    const { hub, write, call } = await openOwnYard({ "servers/math.ts": "export function f(): string { retur 1 }" })
    await until(async () => (await hub.server("math")).state === "down", "the module to be down")
    expect((await hub.server("math")).reason).toMatch(/math\.ts:1/)
    write("servers/math.ts", "export function f(): string { return 'mended' }")
    await until(async () => (await hub.server("math")).state === "up", "the module to be up")
    expect(textOf(await call("math", "f"))).toBe("mended")
  })

  it("V10 follows the folder: a file that is put there is served, one that is taken away is not", async () => {
    const { hub, write, call } = await openOwnYard({})
    write("servers/late.ts", "export const hi = (name: string): string => `Hi ${name}`")
    await until(async () => (await hub.servers()).some(({ state }) => state === "up"), "the new server")
    expect(textOf(await call("late", "hi", { name: "you" }))).toBe("Hi you")
  })

  it("gives scripts the values of functions, typed", async () => {
    const { hub } = await openOwnYard(FILES)
    await hub.waitUp("math")
    const run = async (code: string): Promise<Json> => {
      const body = JSON.stringify({ code })
      const headers = { "Content-Type": "application/json" }
      return (await (await fetch(`${hub.url}/api/runs`, { method: "POST", headers, body })).json()) as Json
    }
    const good = await run("const sum: number = await tools.math.add({ a: 1, b: 2 }); return sum * 2")
    expect(good).toMatchObject({ status: "completed", value: 6 })
    const types = await (await fetch(`${hub.url}/runtime/tools.d.ts?server=math`)).text()
    expect(types).toContain("MathAddResult = number")
  })

  it("leaves no process behind", async () => {
    const { hub } = await openOwnYard(FILES)
    await hub.waitUp("math", "other")
    const pids = (await Promise.all(["math", "other"].map(name => hub.server(name)))).map(({ pid }) => pid as number)
    for (const pid of pids) expect(isAlive(pid)).toBe(true)
    await hub.stop()
    for (const pid of pids) expect(isAlive(pid)).toBe(false)
  })

  it("V2 may be named by its content", async () => {
    const { hub, folder } = await openOwnYard({ "put/toolyard.json": "{}" })
    const { openState } = await import("../../packages/toolyard/src/state/open.ts")
    const state = await openState(join(folder, ".toolyard"), () => {})
    const { cid } = await state.blobs.put("export const hi = (): string => 'by content'")
    await state.close()
    hub.configure({ mcpServers: { content: { type: "module", file: `cid://${cid}` } } })
    await hub.waitUp("content")
    const client = await connect(`${hub.url}/mcp/content`, "modern")
    expect(textOf(await client.callTool({ name: "hi", arguments: {} }))).toBe("by content")
    expect(readFileSync(hub.configFile, "utf8")).toContain(cid)
  })
})
