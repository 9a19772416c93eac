// The leanest gateway one can write: node:http to a stdio child, one parse and one print each way, and nothing else
// (no sessions, no checks, no errors). No real gateway can be quicker, so it is the floor to measure against.
import { spawn } from "node:child_process"
import { createServer } from "node:http"

const child = spawn(process.execPath, [process.argv[2]], { stdio: ["pipe", "pipe", "inherit"] })
child.on("exit", () => process.exit(1))
const waiting = new Map()
let lastId = 0

let rest = ""
child.stdout.setEncoding("utf8")
child.stdout.on("data", chunk => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop()
  for (const line of lines) {
    const message = JSON.parse(line)
    const { id, response } = waiting.get(message.id)
    waiting.delete(message.id)
    message.id = id
    const reply = JSON.stringify(message)
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) })
    response.end(reply)
  }
})

const server = createServer((request, response) => {
  let text = ""
  request.setEncoding("utf8")
  request.on("data", chunk => {
    text += chunk
  })
  request.on("end", () => {
    const message = JSON.parse(text)
    if (message.id === undefined) {
      response.writeHead(202).end()
    } else {
      lastId += 1
      waiting.set(lastId, { id: message.id, response })
      message.id = lastId
    }
    child.stdin.write(`${JSON.stringify(message)}\n`)
  })
})
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })))
process.stdin.on("end", () => process.exit(0)).resume()
