/** A child process whose every word is the test's: what it hears on stdin goes to the test's socket, what comes back goes to stdout. */
import { connect } from "node:net"

const [port, key] = process.argv.slice(2)

const socket = connect(Number(port), "127.0.0.1", () => {
  socket.write(`${JSON.stringify({ pid: process.pid, key })}\n`)
  process.stdin.pipe(socket)
  socket.pipe(process.stdout)
})
socket.on("error", () => process.exit(1))
socket.on("close", () => process.exit(0))
