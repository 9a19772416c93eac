import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { startHost, textOf } from "./host-case.ts"

const module = (body: string): Record<string, string> => ({
  "m.ts": `import type { ToolContext } from "toolyard"\nimport { z } from "zod"\n${body}`,
})

describe("the context of a call", () => {
  it("asks the person behind the caller, for the request that it is", async () => {
    await using host = startHost(
      module(`export async function ask(context: ToolContext) {
          return await context.ask("Who?", { type: "object", properties: { name: { type: "string" } } })
        }
        export async function typed(context: ToolContext) { return (await context.ask("Age?", z.object({ age: z.number() }))).age }
        export async function sure(context: ToolContext) {
          try { return await context.ask("Sure?") } catch (error: any) { return { name: error.name, action: error.action } }
        }`),
    )
    const reply = async (result: JsonObject): Promise<JsonObject> => {
      const { id, params } = await host.next("elicitation/create")
      host.send({ id, result })
      return params as JsonObject
    }
    const ask = host.begin("ask")
    expect(await reply({ action: "accept", content: { name: "Bo" } })).toEqual({
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      _meta: { "toolyard/request": ask.id },
    })
    expect(await ask.answer).toMatchObject({ result: { structuredContent: { name: "Bo" } } })

    const typed = host.begin("typed")
    expect(await reply({ action: "accept", content: { age: "old" } })).toMatchObject({
      requestedSchema: { properties: { age: { type: "number" } } },
    })
    expect(await typed.answer).toMatchObject({ result: { isError: true } })

    const sure = host.begin("sure")
    await reply({ action: "decline" })
    expect(await sure.answer).toMatchObject({ result: { structuredContent: { name: "Declined", action: "decline" } } })
  })

  it("calls other tools and gives their values", async () => {
    await using host = startHost(
      module(`export async function call(context: ToolContext) {
        const values = []
        for (let i = 0; i < 4; i++) values.push(await context.call("math__add", { a: new Date(0) }))
        return values
      }`),
    )
    const { id, answer } = host.begin("call")
    const results: JsonObject[] = [
      { content: [], structuredContent: { a: 1 } },
      { content: [], structuredContent: { result: [2] }, _meta: { "toolyard/wrapped": true } },
      { content: [{ type: "text", text: "[3]" }] },
      { content: [{ type: "text", text: "four" }] },
    ]
    for (const result of results) {
      const request = await host.next("toolyard/call")
      expect(request.params).toEqual({
        name: "math__add",
        arguments: { a: "1970-01-01T00:00:00.000Z" },
        _meta: { "toolyard/request": id },
      })
      host.send({ id: request.id, result })
    }
    expect(textOf((await answer).result as JsonObject)).toBe('[{"a":1},[2],[3],"four"]')
  })

  it("throws what another tool failed with", async () => {
    await using host = startHost(
      module(`export async function call(tool: string, context: ToolContext) {
        try { return await context.call(tool) }
        catch ({ name, server, tool, code, message }: any) { return { name, server, tool, code, message } }
      }
      export async function through(context: ToolContext) { return context.call("a.b") }`),
    )
    const failing = async (tool: string, answer: JsonObject): Promise<unknown> => {
      const call = host.begin("call", { tool })
      host.send({ id: (await host.next("toolyard/call")).id, ...answer })
      return ((await call.answer).result as JsonObject).structuredContent
    }
    const text = (text: string): JsonObject => ({ isError: true, content: [{ type: "text", text }] })
    expect(await failing("math.add", { result: text("no sum") })).toEqual({
      name: "ToolError",
      server: "math",
      tool: "add",
      code: "tool_error",
      message: "no sum",
    })
    const error = { code: -32003, message: "forbidden here", data: { code: "denied" } }
    expect(await failing("my__long__name", { error })).toMatchObject({
      server: "my",
      tool: "long__name",
      code: "denied",
    })
    const through = host.begin("through")
    host.send({ id: (await host.next("toolyard/call")).id, error })
    expect((await through.answer).result).toMatchObject({
      isError: true,
      _meta: { "toolyard/error": { code: "denied", message: "forbidden here" } },
    })
  })

  it("samples, logs and reports progress for its own request", async () => {
    await using host = startHost(
      module(`export async function all(context: ToolContext) {
        context.progress(1, 4, "one")
        context.log("hello"); context.log("warning", { a: 1n }); context.log.debug("d"); context.log.error("e", [1])
        return { sampled: await context.sample({ messages: [], maxTokens: 5 }), caller: context.caller }
      }`),
    )
    const caller = { client: "test" }
    const call = host.begin("all", {}, { progressToken: 7, "toolyard/caller": caller })
    const _meta = { "toolyard/request": call.id }
    const sample = await host.next("sampling/createMessage")
    expect(sample.params).toEqual({ messages: [], maxTokens: 5, _meta })
    host.send({ id: sample.id, result: { role: "assistant" } })
    expect(await call.answer).toMatchObject({
      result: { structuredContent: { sampled: { role: "assistant" }, caller } },
    })
    expect((await host.next("notifications/progress")).params).toEqual({
      progressToken: 7,
      progress: 1,
      total: 4,
      message: "one",
    })
    const logged = []
    for (let i = 0; i < 4; i++) logged.push((await host.next("notifications/message")).params)
    expect(logged).toEqual([
      { level: "info", data: "hello", _meta },
      { level: "warning", data: { a: 1 }, _meta },
      { level: "debug", data: "d", _meta },
      { level: "error", data: { message: "e", data: [1] }, _meta },
    ])
  })

  it("logs nothing that is less important than what is wanted", async () => {
    await using host = startHost(
      module('export function log(context: ToolContext) { context.log.info("i"); context.log.error("e") }'),
    )
    await host.request("logging/setLevel", { level: "error" })
    await host.call("log")
    expect((await host.next("notifications/message")).params).toMatchObject({ level: "error" })
    expect(host.waiting("notifications/message")).toBe(0)
    expect(await host.request("logging/setLevel", { level: "loud" })).toMatchObject({ error: { code: -32602 } })
  })

  it("withdraws its questions when the call is given up", async () => {
    await using host = startHost(
      module(`export async function call(context: ToolContext) {
        await context.call("a.b").catch(error => context.log.info(error.name))
        context.signal.throwIfAborted()
      }`),
    )
    const { id, answer } = host.begin("call")
    const asked = await host.next("toolyard/call")
    host.send({ method: "notifications/cancelled", params: { requestId: id, reason: "changed my mind" } })
    expect((await host.next("notifications/cancelled")).params).toEqual({ requestId: asked.id })
    expect(await answer).toMatchObject({ error: { data: { code: "cancelled" } } })
  })
})
