// The tools that every contestant's scripts call: MCP without an SDK, as lean as it can be, so that what is measured is
// the way to it. Over stdio, or with `--http` over HTTP without sessions. `rows` gives one megabyte of JSON, as a text
// that is made once.
import { createServer } from "node:http"

const NEWEST = "2025-11-25"
const TOOLS = [
  {
    name: "echo",
    description: "Gives the text back",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "rows",
    description: "Gives a megabyte of rows",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
  },
]

const ROWS = Array.from({ length: 8_600 }, (_, id) => ({
  id,
  name: `customer ${id}`,
  city: ["Oslo", "Lima", "Pune"][id % 3],
  active: id % 2 === 0,
  price: (id * 37) % 1000,
  tags: ["a", "b", "c"],
  note: "x".repeat(16),
}))
const rowsResult = textResult(JSON.stringify(ROWS))

function textResult(text) {
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`
}

function resultOf({ method, params }) {
  if (method === "tools/call") {
    if (params.name === "echo") return textResult(params.arguments.text)
    if (params.name === "rows") return rowsResult
  }
  if (method === "tools/list") return JSON.stringify({ tools: TOOLS })
  if (method === "ping") return "{}"
  if (method === "initialize") {
    return JSON.stringify({
      protocolVersion: params.protocolVersion < NEWEST ? params.protocolVersion : NEWEST,
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1.0.0" },
    })
  }
  return undefined
}

function answer(line) {
  const message = JSON.parse(line)
  if (message.id === undefined) return ""
  const result = resultOf(message)
  const id = JSON.stringify(message.id)
  if (result !== undefined) return `{"jsonrpc":"2.0","id":${id},"result":${result}}\n`
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}\n`
}

if (process.argv.includes("--http")) serveHttp()
else serveStdio()

function serveStdio() {
  let rest = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", chunk => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop()
    let out = ""
    for (const line of lines) if (line !== "") out += answer(line)
    if (out !== "") process.stdout.write(out)
  })
  process.stdin.on("end", () => process.exit(0))
}

function serveHttp() {
  const server = createServer((request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end()
    let text = ""
    request.setEncoding("utf8")
    request.on("data", chunk => {
      text += chunk
    })
    request.on("end", () => {
      const reply = answer(text)
      if (reply === "") return response.writeHead(202).end()
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) })
      response.end(reply)
    })
  })
  server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })))
  process.stdin.on("end", () => process.exit(0)).resume()
}
