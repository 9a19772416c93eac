// What HTTP costs by itself: node:http that parses the request, answers it from memory, and prints one reply.
import { createServer } from "node:http"

const bigResults = new Map()
function bigResult(bytes) {
  if (!bigResults.has(bytes)) bigResults.set(bytes, `{"content":[{"type":"text","text":"${"x".repeat(bytes)}"}]}`)
  return bigResults.get(bytes)
}

const server = createServer((request, response) => {
  let text = ""
  request.setEncoding("utf8")
  request.on("data", chunk => {
    text += chunk
  })
  request.on("end", () => {
    const { id, params } = JSON.parse(text)
    const result =
      params.name === "big"
        ? bigResult(params.arguments.bytes)
        : `{"content":[{"type":"text","text":${JSON.stringify(params.arguments.text)}}]}`
    const reply = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) })
    response.end(reply)
  })
})
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })))
process.stdin.on("end", () => process.exit(0)).resume()
