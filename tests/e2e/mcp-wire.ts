/** MCP over bare HTTP: for what no client library would send, and for answers byte by byte. */
import type { Json, Message } from "./mcp-stage.ts"

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The messages of the body: one, or those of its event stream. */
  messages: Message[]
  /** The message that answers the request. */
  answer: Message
}

export const ACCEPT = "application/json, text/event-stream"
export const MODERN = "2026-07-28"
export const ENVELOPE: Json = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** `body` as it is when it is a string; a header set to "" is left out. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const all = Object.entries({ "Content-Type": "application/json", Accept: ACCEPT, ...headers })
  const response = await fetch(url, {
    method: "POST",
    headers: Object.fromEntries(all.filter(([, value]) => value !== "")),
    // Bytes, so that fetch adds no content type of its own.
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  })
  const text = await response.text()
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream")
  const messages = isStream
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string) as Message)
    : [text === "" ? undefined : JSON.parse(text)].flat().filter(message => message !== undefined)
  return { status: response.status, headers: response.headers, text, messages, answer: messages.at(-1) as Message }
}

export const request = (method: string, params?: Json, id: unknown = 1): Json => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params && { params }),
})

/** What a client of 2026-07-28 sends: envelope and headers. */
export function modern(
  url: string,
  method: string,
  params: Json = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { _meta = {}, ...rest } = params
  const name = method === "resources/read" ? rest.uri : rest.name
  return post(url, request(method, { ...rest, _meta: { ...ENVELOPE, ...(_meta as Json) } }), {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": method,
    ...(typeof name === "string" && { "Mcp-Name": name }),
    ...headers,
  })
}

export interface Session {
  id: string
  initialized: Message
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>
  request(method: string, params?: Json): Promise<Answer>
  end(): Promise<number>
}

/** A client of 2025: one handshake, then a session. */
export async function openSession(
  url: string,
  { version = "2025-11-25", capabilities = {}, client = "test", headers = {} as Record<string, string> } = {},
): Promise<Session> {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: client, version: "1" } }
  const opening = await post(url, request("initialize", params), headers)
  const id = opening.headers.get("mcp-session-id") ?? ""
  const own = { ...headers, "Mcp-Session-Id": id }
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, own)
  return {
    id,
    initialized: opening.answer,
    post: (body, more = {}) => post(url, body, { ...own, ...more }),
    request: (method, requestParams) => post(url, request(method, requestParams), own),
    end: async () => (await fetch(url, { method: "DELETE", headers: own })).status,
  }
}

/** One request in either era. */
export async function ask(url: string, era: "legacy" | "modern", method: string, params: Json = {}): Promise<Answer> {
  if (era === "modern") return modern(url, method, params)
  const session = await openSession(url)
  try {
    return await session.request(method, params)
  } finally {
    await session.end()
  }
}

/** What a list method gave. */
export const listed = (answer: Message, field = "tools"): Json[] => (answer.result?.[field] ?? []) as Json[]
