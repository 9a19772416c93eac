import { type ChatCompletionRequest, type FixtureResponse, LLMock } from "@copilotkit/aimock"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as z from "zod"
import type { ModelUsage } from "../model.ts"
import { type ModelOptions, openModel } from "./open-model.ts"

const KEY = "sk-test-0123456789abcdef"
const schema = z.object({ code: z.string(), size: z.number().nullish() })
const GOOD = JSON.stringify({ code: "return 1", size: 1 })

let mock: LLMock
let replies: (FixtureResponse | Promise<FixtureResponse>)[]
let asked: ChatCompletionRequest[]
let usage: ModelUsage[]

beforeEach(async () => {
  replies = []
  asked = []
  usage = []
  mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" })
  mock.on({}, request => {
    asked.push(request)
    // The last one for ever, so that an attempt too many is seen.
    return (replies.length > 1 ? replies.shift() : replies[0]) ?? { content: GOOD }
  })
  await mock.start()
})

afterEach(() => mock.stop())

function open(provider: string, options: Partial<ModelOptions> = {}) {
  const model = { anthropic: "claude-sonnet-4-5", openai: "gpt-5", "openai-compatible": "meta/llama-3" }[provider]
  return openModel({
    model: `${provider}/${model}`,
    baseUrl: mock.url,
    apiKey: KEY,
    backoffMs: 1,
    usage: one => usage.push(one),
    ...options,
  })
}

const question = { step: "handler", instructions: "Write code.", prompt: "Something \ud800 odd", schema }

const failure = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => expect.fail("it should have failed"),
    error => error,
  )
  expect(JSON.stringify([error.message, error.hint, error, String(error.stack), String(error.cause)])).not.toContain(
    KEY,
  )
  return error
}

describe.each(["anthropic", "openai", "openai-compatible"])("B16 a model of %s", provider => {
  it("gives an answer that fits, and says what it took", async () => {
    const model = open(provider)
    expect(await model.generate(question)).toEqual({ code: "return 1", size: 1 })
    expect(model.name).toBe(`${provider}/${asked[0]?.model}`)
    expect(asked.length).toBe(1)
    expect(asked[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"])
    expect(JSON.stringify(asked[0]?.messages[1]?.content)).toContain("Something \ufffd odd")
    expect(usage).toEqual([
      {
        step: "handler",
        ms: expect.any(Number),
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        requestId: expect.any(String),
      },
    ])
  })

  it.each([
    ["no JSON", { content: "Sure, here is the code!" }, "was not JSON"],
    ["half of the JSON", { content: '{ "code": "retu' }, "was not JSON"],
    ["another shape", { content: '{ "code": 7 }' }, "did not fit the schema (code: "],
    ["nothing", { content: "" }, "was empty"],
    ["an answer cut off", { content: '{ "code": "x', finishReason: "length" }, /was cut off|was not JSON/],
    ["a refusal", { content: "I can't help with that.", finishReason: "content_filter" }, /refused|not JSON/],
  ])("is asked again, with the reason, after %s, and then given up", async (_, reply, reason) => {
    replies = [reply, { content: GOOD }]
    expect(await open(provider).generate(question)).toEqual({ code: "return 1", size: 1 })
    expect(asked.length).toBe(2)
    const again = JSON.stringify(asked[1]?.messages)
    expect(again).toContain("Your last answer could not be used")
    if (typeof reason === "string") expect(again).toContain(reason)
    expect(usage.length).toBe(2)
    asked = []
    replies = [reply]
    const error = await failure(open(provider).generate(question))
    expect(error).toMatchObject({ code: "generation_failed" })
    expect(error.message).toMatch(reason)
    expect(asked.length).toBe(2)
  })

  it("is understood when it puts the JSON into a code block", async () => {
    replies = [{ content: `Here it is:\n\`\`\`json\n${GOOD}\n\`\`\`\nEnjoy!` }]
    expect(await open(provider).generate(question)).toEqual({ code: "return 1", size: 1 })
    expect(asked.length).toBe(1)
  })

  it.each([429, 500, 503])("that answers %i is asked again, and no more than allowed", async status => {
    const later = { error: { message: `later, ${KEY}` }, status, retryAfter: 0 }
    replies = [later, later, { content: GOOD }]
    expect(await open(provider).generate(question)).toEqual({ code: "return 1", size: 1 })
    expect(asked.length).toBe(3)
    asked = []
    replies = [later]
    const error = await failure(open(provider, { retries: 1 }).generate(question))
    expect(error).toMatchObject({ code: "generation_failed", data: { status } })
    expect(error.message).toContain(`answered ${status}: later`)
    expect(asked.length).toBe(2)
  })

  it("that asks to wait too long is not waited for", async () => {
    replies = [{ error: { message: "later" }, status: 429, retryAfter: 3600 }]
    expect(await failure(open(provider).generate(question))).toMatchObject({ code: "generation_failed" })
    expect(asked.length).toBe(1)
  })

  it("that does not take the key says so, once", async () => {
    replies = [{ error: { message: `Incorrect API key provided: ${KEY}` }, status: 401 }]
    const error = await failure(open(provider).generate(question))
    expect(error).toMatchObject({ code: "generation_failed", hint: expect.stringContaining("key was not accepted") })
    expect(asked.length).toBe(1)
  })

  it("that is too slow is given up", async () => {
    const answered = Promise.withResolvers<FixtureResponse>()
    replies = [answered.promise]
    const error = await failure(open(provider, { timeoutMs: 100 }).generate(question))
    expect(error).toMatchObject({
      code: "generation_failed",
      message: expect.stringContaining("did not answer within 100 ms"),
    })
    answered.resolve({ content: GOOD })
  })

  it("is let go when the work is cancelled", async () => {
    const ended = new AbortController()
    const answered = Promise.withResolvers<FixtureResponse>()
    replies = [answered.promise]
    const work = open(provider).generate({ ...question, signal: ended.signal })
    ended.abort()
    expect(await failure(work)).toMatchObject({ code: "cancelled" })
    answered.resolve({ content: GOOD })
  })

  it("that is not there is said to be out of reach", async () => {
    const model = open(provider, { retries: 0 })
    await mock.stop()
    expect(await failure(model.generate(question))).toMatchObject({
      code: "generation_failed",
      message: expect.stringContaining("could not be reached"),
    })
    await mock.start()
  })
})

describe("a server that knows no schemas", () => {
  it("B16 is asked for plain JSON", async () => {
    const no = { error: { message: "This response_format type is unavailable now" }, status: 400 }
    replies = [no, { content: GOOD }]
    expect(await open("openai-compatible").generate(question)).toEqual({ code: "return 1", size: 1 })
    expect(asked.map(({ response_format: format }) => format?.type)).toEqual(["json_schema", "json_object"])
  })
})
