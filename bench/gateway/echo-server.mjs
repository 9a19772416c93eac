// The server behind every gateway: stdio MCP without an SDK, as lean as it can be, so that what is measured is the
// gateway. Replies to one chunk of input leave in one write.
const NEWEST = "2025-11-25"
const TOOLS = [
  {
    name: "echo",
    description: "Gives the text back",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  {
    name: "big",
    description: "Gives one text of that many bytes",
    inputSchema: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] },
  },
]

const bigResults = new Map()
function bigResult(bytes) {
  let result = bigResults.get(bytes)
  if (result === undefined) {
    result = `{"content":[{"type":"text","text":"${"x".repeat(bytes)}"}]}`
    bigResults.set(bytes, result)
  }
  return result
}

function resultOf(message) {
  const { method, params } = message
  if (method === "tools/call") {
    if (params.name === "echo") return `{"content":[{"type":"text","text":${JSON.stringify(params.arguments.text)}}]}`
    if (params.name === "big") return bigResult(params.arguments.bytes)
  }
  if (method === "tools/list") return JSON.stringify({ tools: TOOLS })
  if (method === "ping") return "{}"
  if (method === "initialize") {
    return JSON.stringify({
      // Some peers know only older versions, and leave when they are offered a newer one.
      protocolVersion: params.protocolVersion < NEWEST ? params.protocolVersion : NEWEST,
      capabilities: { tools: {} },
      serverInfo: { name: "echo", version: "1.0.0" },
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
