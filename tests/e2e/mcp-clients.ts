/** Clients as other people's programs have them: the SDK's, in both protocol eras, and bare HTTP for what the SDK would never send. */
import {
  Client,
  type ClientCapabilities,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client"
import type { Json } from "./mcp-stage.ts"

export type Era = "legacy" | "modern"
export const ERAS: Era[] = ["legacy", "modern"]

export interface ClientOptions {
  name?: string
  capabilities?: ClientCapabilities
  /** How it answers questions; each is an answer's content, or a function that gives it. */
  elicit?: (params: Json) => Json | Promise<Json>
  sample?: (params: Json) => string
  roots?: () => string[]
  sse?: boolean
  transport?: Transport
}

const open = new Set<Client>()

/** For `afterEach` or `afterAll`. */
export async function closeClients(): Promise<void> {
  await Promise.all([...open].map(client => client.close().catch(() => {})))
  open.clear()
}

export async function connect(url: string, era: Era, options: ClientOptions = {}): Promise<Client> {
  const { elicit, sample, roots } = options
  const capabilities = options.capabilities ?? {
    ...(elicit && { elicitation: {} }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  }
  const versionNegotiation = { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } as const
  const client = new Client({ name: options.name ?? "test", version: "1" }, { capabilities, versionNegotiation })
  if (elicit) {
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      action: "accept" as const,
      content: (await elicit(params as Json)) as Record<string, string>,
    }))
  }
  if (sample) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => ({
      role: "assistant" as const,
      content: { type: "text" as const, text: sample(params as Json) },
      model: "test",
    }))
  }
  if (roots) client.setRequestHandler("roots/list", () => ({ roots: roots().map(uri => ({ uri })) }))
  open.add(client)
  const address = new URL(url)
  const transport =
    options.transport ?? (options.sse ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address))
  await client.connect(transport)
  return client
}

/** The text of a result's first block. */
export function textOf(result: { content?: unknown }): string {
  const [block] = result.content as { text?: string }[]
  return block?.text ?? ""
}
