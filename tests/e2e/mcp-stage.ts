/**
 * Upstream servers played by the test itself: each is a real child of the hub behind a real pipe (`mcp-puppet.mjs`),
 * and the test decides, byte by byte, what it says and when.
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export type Json = Record<string, unknown>

export interface Message {
  id?: string | number
  method?: string
  params: Json
  result?: Json
  error?: { code: number; message: string }
}

type Handler = (params: Json, puppet: Puppet, message: Message) => unknown

export interface Script {
  era?: "legacy" | "modern"
  /** As JSON text where every byte matters. */
  tools?: string | Json[]
  capabilities?: Json
  /** The answer to a method: an object, the JSON text of one, or `undefined` to say nothing (yet). */
  on?: Record<string, Handler>
}

export interface Puppet {
  readonly pid: number
  readonly received: Message[]
  /** Any message, or the text of one line. */
  send(message: Json | string): void
  answer(id: string | number | undefined, result: Json | string): void
  /** The first message that fits, heard already or still to come. */
  seen(fits: (message: Message) => boolean): Promise<Message>
  /** Puts a question to the hub and gives its answer. */
  ask(method: string, params: Json): Promise<Message>
  /** Resolves when its process has lost the hub. */
  readonly gone: Promise<void>
  drop(): void
}

export interface Stage {
  /** An entry of `mcpServers` for a server that is played by `script`. */
  entry(script: Script, more?: Json): Json
  /** The processes that were started for an entry so far. */
  puppets(entry: Json): Puppet[]
  /** The nth process of an entry, once it is there. */
  puppet(entry: Json, index?: number): Promise<Puppet>
  close(): Promise<void>
}

const PUPPET = fileURLToPath(new URL("./mcp-puppet.mjs", import.meta.url))

export async function openStage(): Promise<Stage> {
  const scripts: { script: Script; puppets: Puppet[] }[] = []
  const sockets = new Set<Socket>()
  const arrivals = new Set<() => void>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on("error", () => {})
    const gone = once(socket, "close").then(() => void sockets.delete(socket))
    let puppet: Puppet | undefined
    let hear: ((message: Message) => void) | undefined
    createInterface({ input: socket }).on("line", line => {
      if (hear) {
        hear(JSON.parse(line) as Message)
        return
      }
      const { pid, key } = JSON.parse(line) as { pid: number; key: string }
      const cast = scripts[Number(key)]!
      const opened = openPuppet(socket, pid, cast.script, gone)
      puppet = opened.puppet
      hear = opened.hear
      cast.puppets.push(puppet)
      for (const arrived of arrivals) arrived()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const castOf = (entry: Json) => scripts[Number((entry.args as string[])[2])]!

  return {
    entry(script, more = {}) {
      scripts.push({ script, puppets: [] })
      return { command: process.execPath, args: [PUPPET, String(port), String(scripts.length - 1)], ...more }
    },
    puppets: entry => castOf(entry).puppets,
    puppet: (entry, index = 0) =>
      new Promise(resolve => {
        const arrived = (): void => {
          const puppet = castOf(entry).puppets[index]
          if (!puppet) return
          arrivals.delete(arrived)
          resolve(puppet)
        }
        arrivals.add(arrived)
        arrived()
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

function openPuppet(socket: Socket, pid: number, script: Script, gone: Promise<void>) {
  const waiting = new Set<(message: Message) => void>()
  let asked = 0
  const puppet: Puppet = {
    pid,
    received: [],
    gone,
    send: message => void socket.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    answer: (id, result) =>
      puppet.send(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${typeof result === "string" ? result : JSON.stringify(result)}}`,
      ),
    seen: fits =>
      new Promise(resolve => {
        const known = puppet.received.find(fits)
        if (known) {
          resolve(known)
          return
        }
        const listen = (message: Message): void => {
          if (!fits(message)) return
          waiting.delete(listen)
          resolve(message)
        }
        waiting.add(listen)
      }),
    ask(method, params) {
      const id = `q${++asked}`
      puppet.send({ jsonrpc: "2.0", id, method, params })
      return puppet.seen(message => message.id === id && message.method === undefined)
    },
    drop: () => void socket.destroy(),
  }
  const handlers = { ...standard(script), ...script.on }
  const hear = async (raw: Message): Promise<void> => {
    const message = { ...raw, params: raw.params ?? {} }
    puppet.received.push(message)
    for (const listen of waiting) listen(message)
    const { id, method, params } = message
    if (method === undefined || id === undefined) return
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
    try {
      if (!handler) throw { code: -32601, message: `Method not found: ${method}` }
      const result = await handler(params, puppet, message)
      if (result !== undefined) puppet.answer(id, result as Json | string)
    } catch (error) {
      puppet.send({ jsonrpc: "2.0", id, error: error as Json })
    }
  }
  return { puppet, hear }
}

/** The handshake of its era, and the tools. */
function standard({ era = "legacy", tools = [], capabilities = { tools: {} } }: Script): Record<string, Handler> {
  const serverInfo = { name: "puppet", version: "1.0.0" }
  const list = typeof tools === "string" ? tools : JSON.stringify(tools)
  if (era === "legacy") {
    return {
      initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
      "tools/list": () => `{"tools":${list}}`,
      "logging/setLevel": () => ({}),
      ping: () => ({}),
    }
  }
  const fresh = { resultType: "complete", ttlMs: 0, cacheScope: "private" }
  return {
    "server/discover": () => ({
      ...fresh,
      supportedVersions: ["2026-07-28"],
      capabilities,
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
    }),
    "tools/list": () => `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":${list}}`,
  }
}

export const text = (value: string): Json => ({ content: [{ type: "text", text: value }] })
