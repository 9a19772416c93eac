/** Where nothing, or as little as possible, stands between the caller and the tool. */
import type { Contestant, Lane } from "./contestant.ts"
import { httpLanes, legacyRequests, plainRequests } from "./http.ts"
import { BARE_HTTP, ECHO_SERVER, FLOOR, SDK_HTTP } from "./paths.ts"

const ID_AT = '{"jsonrpc":"2.0","id":'.length

/** The echo server itself, spoken to over its pipes. */
export const directStdio: Contestant = {
  name: "direct stdio",
  role: "baseline",
  async start({ processes, folder }) {
    const { child, died } = processes.start([ECHO_SERVER], { cwd: folder, ownStdout: true })
    const waiting = new Map<number, { resolve: (reply: Buffer) => void; reject: (error: Error) => void }>()
    died.catch(error => {
      for (const { reject } of waiting.values()) reject(error)
    })
    readLines(child.stdout as NodeJS.ReadableStream, line => {
      // The echo server prints the id in this place, so that the line needs no parse.
      const id = Number.parseInt(line.toString("latin1", ID_AT, ID_AT + 16), 10)
      waiting.get(id)?.resolve(line)
      waiting.delete(id)
    })
    let lastId = 0
    const lane: Lane = {
      call: params =>
        new Promise((resolve, reject) => {
          lastId += 1
          waiting.set(lastId, { resolve, reject })
          child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "tools/call", params })}\n`)
        }),
      close: () => {},
    }
    return { openLanes: async count => Array.from({ length: count }, () => lane) }
  },
}

function readLines(stream: NodeJS.ReadableStream, take: (line: Buffer) => void): void {
  let parts: Buffer[] = []
  stream.on("data", (chunk: Buffer) => {
    let at = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      parts.push(chunk.subarray(at, end))
      take(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))
      parts = []
      at = end + 1
    }
    if (at < chunk.length) parts.push(chunk.subarray(at))
  })
}

export const bareHttp: Contestant = {
  name: "bare node:http",
  role: "baseline",
  async start({ processes, folder }) {
    const { pid, url } = processes.start([BARE_HTTP], { cwd: folder })
    const address = await url()
    return { pid, openLanes: httpLanes(address, plainRequests(address)) }
  },
}

export const floor: Contestant = {
  name: "floor gateway",
  role: "baseline",
  async start({ processes, folder }) {
    const { pid, url } = processes.start([FLOOR, ECHO_SERVER], { cwd: folder })
    const address = await url()
    return { pid, openLanes: httpLanes(address, plainRequests(address)) }
  },
}

export const sdkHttp: Contestant = {
  name: "SDK http server",
  role: "baseline",
  async start({ processes, folder }) {
    const { pid, url, died } = processes.start([SDK_HTTP], { cwd: folder })
    const address = await url()
    return { pid, openLanes: httpLanes(address, await legacyRequests(address, died)) }
  },
}
