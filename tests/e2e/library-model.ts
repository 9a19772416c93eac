/** A model that says what the test tells it to, over HTTP as the real ones do, and remembers what it was asked. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

/** What of a request the tests look at. */
export interface Asked {
  tools: { name: string; input_schema: object }[]
  /** Messages and Chat Completions. */
  messages: { role: string; content: unknown }[]
  /** Responses. */
  input: unknown[]
}

/** Answers one request after another; a request too many is an error that the SDKs don't try again. */
export async function openModel(...answers: object[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    asked.push((await json(request)) as Asked)
    const answer = answers[asked.length - 1]
    response.writeHead(answer ? 200 : 400, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? { error: { type: "invalid_request_error", message: "nothing left to say" } }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The requests so far, or an error when there were not as many. */
    requests(count: number): Asked[] {
      if (asked.length !== count) throw new Error(`the model was asked ${asked.length} times, not ${count}`)
      return asked
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

const message = (content: object[], stop_reason: string): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "scripted",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

export const anthropic = {
  use: (...calls: [name: string, input: unknown][]): object =>
    message(
      calls.map(([name, input], index) => ({ type: "tool_use", id: `toolu_${index}`, name, input })),
      "tool_use",
    ),
  say: (text: string): object => message([{ type: "text", text }], "end_turn"),
}

const completion = (reply: object, finish_reason: string): object => ({
  id: "chatcmpl_1",
  object: "chat.completion",
  created: 1,
  model: "scripted",
  choices: [{ index: 0, message: { role: "assistant", refusal: null, ...reply }, finish_reason, logprobs: null }],
})

export const chat = {
  use: (name: string, args: unknown): object =>
    completion(
      {
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }],
      },
      "tool_calls",
    ),
  say: (content: string): object => completion({ content }, "stop"),
}

const response = (output: object[]): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "scripted",
  output,
})

export const responses = {
  use: (name: string, args: unknown): object =>
    response([{ type: "function_call", id: "fc_1", call_id: "call_1", name, arguments: JSON.stringify(args) }]),
  say: (text: string): object =>
    response([
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ]),
}
