/**
 * One keep-alive HTTP connection with one request under way at a time, on a bare socket: the client's own cost stays
 * small and is the same for every contestant.
 */
import { connect, type Socket } from "node:net"

export interface Reply {
  status: number
  /** The header block as it came, lower-cased. */
  head: string
  body: Buffer
}

export interface HttpLane {
  exchange(request: string): Promise<Reply>
  close(): void
}

/** The text of a POST with a JSON body. */
export function toPost(url: URL, headers: Record<string, string>, body: string): string {
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`
  text += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  return `${text}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export async function openHttpLane(url: URL): Promise<HttpLane> {
  const socket = await openSocket(url)
  let waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined
  let parse = createReplyParser()
  let broken: Error | undefined

  const fail = (error: Error): void => {
    broken ??= error
    waiting?.reject(broken)
    waiting = undefined
    socket.destroy()
  }
  socket.on("data", (chunk: Buffer) => {
    if (!waiting) return fail(new Error("The server sent bytes that nobody asked for"))
    try {
      const reply = parse(chunk)
      if (!reply) return
      const { resolve } = waiting
      waiting = undefined
      parse = createReplyParser()
      resolve(reply)
    } catch (error) {
      fail(error as Error)
    }
  })
  socket.on("error", fail)
  socket.on("close", () => fail(new Error("The server closed the connection")))

  return {
    exchange: request =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken)
        if (waiting) return reject(new Error("A lane carries one request at a time"))
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => void socket.destroy(),
  }
}

function openSocket(url: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    socket.once("connect", () => {
      socket.off("error", reject)
      resolve(socket)
    })
    socket.once("error", reject)
  })
}

const HEAD_END = Buffer.from("\r\n\r\n")

/** Takes the bytes of one reply as they come and gives the reply back once it is whole. */
function createReplyParser(): (chunk: Buffer) => Reply | undefined {
  let early: Buffer | undefined
  let status = 0
  let head = ""
  let readBody: ((chunk: Buffer) => Buffer | undefined) | undefined

  return chunk => {
    let rest = chunk
    if (!readBody) {
      const bytes = early ? Buffer.concat([early, chunk]) : chunk
      const end = bytes.indexOf(HEAD_END)
      if (end < 0) {
        early = bytes
        return undefined
      }
      head = bytes.toString("latin1", 0, end).toLowerCase()
      status = Number(head.slice(9, 12))
      readBody = bodyReaderOf(head)
      rest = bytes.subarray(end + 4)
    }
    const body = readBody(rest)
    return body && { status, head, body }
  }
}

function bodyReaderOf(head: string): (chunk: Buffer) => Buffer | undefined {
  if (head.includes("\r\ntransfer-encoding: chunked")) return createChunkedReader()
  const at = head.indexOf("\r\ncontent-length:")
  return createLengthReader(at < 0 ? 0 : Number.parseInt(head.slice(at + 17), 10))
}

function createLengthReader(length: number): (chunk: Buffer) => Buffer | undefined {
  const parts: Buffer[] = []
  let missing = length
  return chunk => {
    if (chunk.length > 0) parts.push(chunk)
    missing -= chunk.length
    if (missing < 0) throw new Error("The reply is longer than it said")
    if (missing > 0) return undefined
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }
}

function createChunkedReader(): (chunk: Buffer) => Buffer | undefined {
  const parts: Buffer[] = []
  let line = ""
  let missing = 0
  let state: "size" | "data" | "end" = "size"
  return chunk => {
    let at = 0
    while (at < chunk.length) {
      if (state === "data") {
        const upTo = Math.min(chunk.length, at + missing)
        parts.push(chunk.subarray(at, upTo))
        missing -= upTo - at
        at = upTo
        if (missing === 0) state = "size"
        continue
      }
      const newline = chunk.indexOf(10, at)
      line += chunk.toString("latin1", at, newline < 0 ? chunk.length : newline + 1)
      if (newline < 0) return undefined
      at = newline + 1
      const text = line.trim()
      line = ""
      if (state === "end") {
        // Trailers are skipped; the empty line ends the reply.
        if (text === "") return parts.length === 1 ? parts[0] : Buffer.concat(parts)
      } else if (text !== "") {
        missing = Number.parseInt(text, 16)
        if (Number.isNaN(missing)) throw new Error(`Not a chunk size: ${text}`)
        state = missing === 0 ? "end" : "data"
      }
    }
    return undefined
  }
}
