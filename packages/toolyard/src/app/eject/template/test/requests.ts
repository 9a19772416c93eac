/** Calls every tool with the arguments of samples.json, and looks at what arrives at an API that is not the real one. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { after, test } from "node:test"
import { connect, textOf } from "./client.ts"

interface Sample {
  tool: string
  arguments: Record<string, unknown>
  request: { method: string; path: string; headers: Record<string, string>; body: string }
  response: { type: string; body: string }
}

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"))
const { variables, samples } = read("./samples.json") as { variables: Record<string, string>; samples: Sample[] }

let sample: Sample | undefined
let received: Sample["request"] | undefined
let status = 200
const api = createServer(async (request, response) => {
  received = await describe(request)
  response.writeHead(status, { "content-type": sample?.response.type ?? "text/plain" })
  response.end(status === 200 ? sample?.response.body : "it went wrong")
})
await new Promise<void>(resolve => api.listen(0, "127.0.0.1", resolve))
const BASE = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
const client = await connect({ ...variables, BASE_URL: BASE })
after(() => {
  client.close()
  api.close()
})

for (const one of samples) {
  test(`${one.tool} sends ${one.request.method} ${one.request.path.split("?")[0]}`, async () => {
    sample = one
    received = undefined
    const result = await client.request("tools/call", { name: one.tool, arguments: one.arguments })
    assert.deepEqual(received, one.request)
    assert.notEqual(result.isError, true, textOf(result))
  })
}

test("shows what the API says when it fails, and no secret", async () => {
  const [first] = samples
  if (!first) return
  sample = first
  status = 500
  const result = await client.request("tools/call", { name: first.tool, arguments: first.arguments })
  status = 200
  assert.equal(result.isError, true)
  assert.match(textOf(result), first.request.method === "HEAD" ? /500/ : /500.*it went wrong/s)
  for (const secret of Object.values(variables)) assert.ok(!textOf(result).includes(secret))
})

/** What belongs to the connection and not to the operation is left out. */
async function describe(request: IncomingMessage): Promise<Sample["request"]> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const {
    host,
    connection,
    accept,
    "content-length": length,
    "transfer-encoding": encoding,
    ...headers
  } = request.headers
  const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "\0"
  const plain = (text: string): string => text.replaceAll(boundary, "BOUNDARY")
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, plain(String(value))])),
    body: plain(Buffer.concat(chunks).toString("latin1")),
  }
}
