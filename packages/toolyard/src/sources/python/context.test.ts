/** What a function can do while it runs, and how it is ended early. */
import { afterEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../../model/json.ts"
import { hasPython, type Message, openHost, type TestHost, textOf } from "./host.fixture.ts"

const FILE = `
import asyncio, threading, time
from typing import Iterator
from toolyard import Cancelled, Context, Declined, ToolError

STATE = {"ended": []}

def steps(ctx: Context):
    ctx.progress(1, 3, "one")
    ctx.progress(2)
    ctx.info("hello")
    ctx.log("error", {"code": 7})
    ctx.debug("quiet")

def stream() -> Iterator[str]:
    yield "a"
    yield "b"

async def stream_async():
    yield {"n": 1}
    yield {"n": 2}

def ask(ctx):
    try:
        return ctx.ask("Who?", {"name": {"type": "string"}})["name"]
    except Declined as error:
        return "declined: %s" % error

async def ask_async(ctx):
    return (await ctx.ask("Who?"))["name"]

async def ask_async_too(ctx):
    return (await ctx.ask_async("Who?"))["name"]

async def ask_impatiently(ctx):
    try:
        return await asyncio.wait_for(ctx.ask("Who?"), 0.01)
    except asyncio.TimeoutError:
        return "nobody"

def through(tool: str, ctx: Context):
    try:
        return {"value": ctx.call(tool, {"a": 1})}
    except ToolError as error:
        return {"error": str(error), "code": error.code}

async def through_async(ctx: Context):
    return list(await asyncio.gather(ctx.call("a__b"), ctx.call("a__c")))

def spin(ctx):
    try:
        ctx.info("spinning")
        while True:
            try:
                len("")
            except Exception:
                pass
    finally:
        STATE["ended"].append("spin")

def report(ctx):
    n = 0
    try:
        while True:
            n += 1
            ctx.log("info", "x" * 5000)
    finally:
        STATE["ended"].append("report")

def wait(ctx):
    try:
        ctx.ask("Who?")
    finally:
        STATE["ended"].append("wait")

async def sleep(ctx):
    try:
        ctx.info("sleeping")
        await asyncio.sleep(1000)
    finally:
        STATE["ended"].append("sleep")

async def block(ctx):
    try:
        ctx.info("blocking")
        while True:
            pass
    finally:
        STATE["ended"].append("block")

def deaf(ctx):
    try:
        ctx.info("deaf")
    finally:
        time.sleep(1000)

def polite(ctx):
    def look():
        while not ctx.cancelled:
            time.sleep(0.001)
        try:
            ctx.check()
        except Cancelled:
            STATE["ended"].append("polite")
    threading.Thread(target=look).start()
    ctx.info("polite")
    while True:
        time.sleep(0.001)

def ended():
    return STATE["ended"]

async def quick(): return "quick"
`

describe.skipIf(!hasPython)(
  "a Python function at work (needs python3 3.9 or later on the PATH)",
  { timeout: 30_000 },
  () => {
    let host: TestHost
    afterEach(() => host.close())
    const open = (): TestHost => {
      host = openHost({ "work.py": FILE })
      return host
    }
    const reply = (request: Message, result: JsonObject): void => host.send({ jsonrpc: "2.0", id: request.id, result })
    const asked = (method: string) => (message: Message) => message.method === method

    it("reports progress to those who want it, and logs for the call it is made in", async () => {
      open()
      const id = host.start("steps", {}, { progressToken: "p" })
      expect((await host.answer(id)).result).toEqual({ content: [] })
      const _meta = { "toolyard/request": id }
      expect(host.heard.map(({ method, params }) => [method, params])).toEqual([
        ["notifications/progress", { progressToken: "p", progress: 1, total: 3, message: "one" }],
        ["notifications/progress", { progressToken: "p", progress: 2 }],
        ["notifications/message", { level: "info", logger: "work", data: "hello", _meta }],
        ["notifications/message", { level: "error", logger: "work", data: { code: 7 }, _meta }],
        ["notifications/message", { level: "debug", logger: "work", data: "quiet", _meta }],
      ])
      host.heard.length = 0
      await host.request("logging/setLevel", { level: "error" })
      await host.call("steps")
      expect(host.heard.map(({ params }) => params?.level)).toEqual(["error"])
    })

    it("sends what a generator gives as progress and collects it", async () => {
      open()
      expect(await host.call("stream", {}, { progressToken: 5 })).toMatchObject({
        content: [{ text: "ab" }],
        structuredContent: { result: ["a", "b"] },
      })
      expect(textOf(await host.call("stream_async", {}, { progressToken: 6 }))).toBe('[{"n":1},{"n":2}]')
      expect(host.heard.map(({ params }) => params)).toEqual([
        { progressToken: 5, progress: 1, message: "a" },
        { progressToken: 5, progress: 2, message: "b" },
        { progressToken: 6, progress: 1, message: '{"n":1}' },
        { progressToken: 6, progress: 2, message: '{"n":2}' },
      ])
    })

    it.each(["ask", "ask_async", "ask_async_too"])("asks the person behind the call (%s)", async name => {
      open()
      const id = host.start(name)
      const question = await host.hear(asked("elicitation/create"))
      expect(question.params).toMatchObject({ message: "Who?", _meta: { "toolyard/request": id } })
      reply(question, { action: "accept", content: { name: "me" } })
      expect(textOf((await host.answer(id)).result as JsonObject)).toBe("me")
    })

    it("hears a no, and can stop waiting", async () => {
      open()
      const id = host.start("ask")
      const question = await host.hear(asked("elicitation/create"))
      expect(question.params?.requestedSchema).toEqual({ type: "object", properties: { name: { type: "string" } } })
      reply(question, { action: "decline" })
      expect(textOf((await host.answer(id)).result as JsonObject)).toBe(
        "declined: the question was answered with decline",
      )
      expect(textOf(await host.call("ask_impatiently"))).toBe("nobody")
      const withdrawn = await host.hear(asked("notifications/cancelled"))
      expect(withdrawn.params).toEqual({ requestId: host.heard.findLast(asked("elicitation/create"))?.id })
    })

    const ANSWERS: [string, JsonObject, JsonObject][] = [
      ["structured content", { content: [], structuredContent: { a: 1 } }, { value: { a: 1 } }],
      [
        "a wrapped value",
        { content: [], structuredContent: { result: [1] }, _meta: { "toolyard/wrapped": true } },
        { value: [1] },
      ],
      ["JSON text", { content: [{ type: "text", text: '{"b":2}' }] }, { value: { b: 2 } }],
      ["text", { content: [{ type: "text", text: "hi" }] }, { value: "hi" }],
      ["nothing", { content: [] }, { value: null }],
      ["an error", { content: [{ type: "text", text: "no" }], isError: true }, { error: "a__b: no", code: null }],
    ]
    it.each(ANSWERS)("calls other tools: %s", async (_, answer, expected) => {
      open()
      const id = host.start("through", { tool: "a__b" })
      const request = await host.hear(asked("toolyard/call"))
      expect(request.params).toEqual({ name: "a__b", arguments: { a: 1 }, _meta: { "toolyard/request": id } })
      reply(request, answer)
      expect((await host.answer(id)).result?.structuredContent).toEqual(expected)
    })

    it("hears toolyard's name for what went wrong, and can call several at once", async () => {
      open()
      const id = host.start("through", { tool: "a__x" })
      const request = await host.hear(asked("toolyard/call"))
      const error = { code: -32602, message: "there is no a__x", data: { code: "unknown_tool" } }
      host.send({ jsonrpc: "2.0", id: request.id, error })
      expect((await host.answer(id)).result?.structuredContent).toEqual({
        error: "a__x: there is no a__x",
        code: "unknown_tool",
      })
      const both = host.start("through_async")
      const calls = (name: string) => (message: Message) => message.params?.name === name
      const [b, c] = [await host.hear(calls("a__b")), await host.hear(calls("a__c"))]
      reply(c, { content: [{ type: "text", text: "2" }] })
      reply(b, { content: [{ type: "text", text: "1" }] })
      expect(textOf((await host.answer(both)).result as JsonObject)).toBe("[1,2]")
    })

    const hearing = { wait: asked("elicitation/create") } as Record<string, (message: Message) => boolean>
    it.each(["spin", "report", "wait", "sleep", "block", "polite"])(
      "ends %s when it is cancelled, without an answer",
      async name => {
        open()
        const id = host.start(name)
        await host.hear(hearing[name] ?? asked("notifications/message"))
        host.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
        expect((await host.request("ping")).result).toEqual({})
        let answered = false
        void host.answer(id).then(
          () => {
            answered = true
          },
          () => {},
        )
        while (!textOf(await host.call("ended")).includes(name));
        expect(textOf(await host.call("quick"))).toBe("quick")
        expect(answered).toBe(false)
      },
    )

    it("cancels many at once and goes on", async () => {
      open()
      const ids = Array.from({ length: 10 }, () => host.start("spin"))
      await host.hear(asked("notifications/message"))
      for (const requestId of ids)
        host.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })
      expect(textOf(await host.call("quick"))).toBe("quick")
      const more = await Promise.all(Array.from({ length: 100 }, () => host.call("ended")))
      expect(more.every(result => !result.isError)).toBe(true)
    })

    it("starts anew rather than keep a call that can't be ended", async () => {
      open()
      const id = host.start("deaf")
      await host.hear(asked("notifications/message"))
      host.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
      expect(await host.exit()).toBe(1)
      expect(host.stderr()).toMatch(/deaf was cancelled and did not end within 5 s; starting anew\n$/)
    })

    it("ends at once with its input, whatever still runs", async () => {
      open()
      host.start("deaf")
      host.start("spin")
      await host.hear(asked("notifications/message"))
      host.child.stdin.end()
      expect(await host.exit()).toBe(0)
    })
  },
)
