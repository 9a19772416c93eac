/** Code mode as an agent meets it: two small servers played by the test, and a client that has three tools. */
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client"
import type { RunReport } from "../../packages/toolyard/src/model/run.ts"
import { type Hub, startHub } from "../fixtures/hub.ts"
import { connect, type Era } from "./mcp-clients.ts"
import { type Json, type Message, openStage, type Stage, text } from "./mcp-stage.ts"

/** What `execute` and `resume` gave, and the same as text. */
export interface Answer extends RunReport {
  isError: boolean
  text: string
}

/** What a tool call that did not work said of itself. */
export interface Refusal {
  code: string | undefined
  text: string
}

export interface AskOptions {
  signal?: AbortSignal
  onProgress?: (message: string) => void
}

export interface Agent {
  readonly client: Client
  /** Code, or all that `execute` takes. */
  execute(what: string | Json, options?: AskOptions): Promise<Answer>
  resume(args: Json, options?: AskOptions): Promise<Answer>
  search(args: Json): Promise<{ signatures: string[]; text: string }>
  /** A call that gives no report. */
  call(name: string, args: Json): Promise<Refusal & { content: unknown; structuredContent: unknown }>
  tools(): Promise<Json[]>
}

export interface AgentOptions {
  /** Under `/mcp`; `code` where nothing is said. */
  at?: string
  name?: string
  capabilities?: ClientCapabilities
  /** The answer of its user to each question, in turn; the last one holds for all further ones. */
  user?: ((params: Json) => Json | Promise<Json>) | undefined
}

export async function openAgent(url: string, era: Era, options: AgentOptions = {}): Promise<Agent> {
  const { at = "code", name = "agent", user } = options
  const capabilities = options.capabilities ?? (user ? { elicitation: {} } : {})
  const client = await connect(at === "" ? `${url}/mcp` : `${url}/mcp/${at}`, era, { name, capabilities })
  if (user) {
    client.setRequestHandler("elicitation/create", async ({ params }) => (await user(params as Json)) as never)
  }
  const ask = (tool: string, args: Json, { signal, onProgress }: AskOptions = {}) =>
    client.callTool(
      { name: tool, arguments: args },
      {
        timeout: 60_000,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ message }) => onProgress(message ?? "") }),
      },
    )
  const report = async (tool: string, args: Json, asked?: AskOptions): Promise<Answer> => {
    const result = await ask(tool, args, asked)
    if (!result.structuredContent) throw new Error(`${tool} gave no report: ${textOf(result)}`)
    return {
      ...(result.structuredContent as unknown as RunReport),
      isError: result.isError ?? false,
      text: textOf(result),
    }
  }
  return {
    client,
    execute: (what, asked) => report("execute", typeof what === "string" ? { code: what } : what, asked),
    resume: (args, asked) => report("resume", args, asked),
    async search(args) {
      const result = await ask("search", args)
      const { results } = result.structuredContent as { results: { signature: string }[] }
      return { signatures: results.map(({ signature }) => signature), text: textOf(result) }
    },
    async call(tool, args) {
      const result = await ask(tool, args)
      const error = (result._meta as Json | undefined)?.["toolyard/error"] as { code: string } | undefined
      const { content, structuredContent } = result
      return { code: error?.code, text: textOf(result), content, structuredContent }
    },
    tools: async () => (await client.listTools()).tools as unknown as Json[],
  }
}

const textOf = ({ content }: { content?: unknown }): string =>
  (content as { text?: string }[]).map(block => block.text ?? "").join("\n")

const object = (properties: Json, required = Object.keys(properties)): Json => ({
  type: "object",
  properties,
  required,
})
const STRING = { type: "string" }
const NUMBER = { type: "number" }

/** A list that can only be read, a tool that changes something, one that fails, one that takes its time. */
export const NOTES: Json[] = [
  {
    name: "list_notes",
    description: "List all notes.",
    inputSchema: object({ tag: STRING }, []),
    outputSchema: object({ notes: { type: "array", items: object({ id: NUMBER, title: STRING }) } }),
    annotations: { readOnlyHint: true },
  },
  {
    name: "add_note",
    description: "Add a note.",
    inputSchema: object({ title: STRING }),
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: "delete_note",
    description: "Delete a note for ever.",
    inputSchema: object({ id: NUMBER }),
    annotations: { destructiveHint: true },
  },
  { name: "break", description: "Always fails.", inputSchema: object({}) },
  { name: "hang", description: "Never answers.", inputSchema: object({}), annotations: { readOnlyHint: true } },
]

export const MATH: Json[] = [
  {
    name: "add",
    description: "Add two numbers.",
    inputSchema: object({ a: NUMBER, b: NUMBER }),
    outputSchema: object({ sum: NUMBER }),
    annotations: { readOnlyHint: true },
  },
  { name: "big", description: "A text of so many characters.", inputSchema: object({ length: NUMBER }) },
]

const NOTE_LIST = {
  notes: [
    { id: 1, title: "milk" },
    { id: 2, title: "bread" },
  ],
}

function playNotes({ name, arguments: args }: Json): unknown {
  switch (name) {
    case "list_notes":
      return { ...text(JSON.stringify(NOTE_LIST)), structuredContent: NOTE_LIST }
    case "add_note":
      return text(JSON.stringify({ id: 3, title: (args as { title: string }).title }))
    case "delete_note":
      return text("deleted")
    case "break":
      return { ...text("the disk is full"), isError: true }
    default:
      return undefined
  }
}

function playMath({ name, arguments: args }: Json): unknown {
  const { a, b, length } = args as { a: number; b: number; length: number }
  if (name === "big") return text("x".repeat(length))
  return { ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }
}

/** A policy under which a person must approve deletions. */
export const ASK = { rules: [{ match: "notes__delete_*", do: "ask" }] }

/** Lists, deletes what `ids` says one by one, and gives what became of each. */
export const deleting = (...ids: number[]): string => `
  await tools.notes.listNotes({})
  const became = []
  for (const id of ${JSON.stringify(ids)}) {
    try {
      became.push(await tools.notes.deleteNote({ id }))
    } catch (error) {
      became.push(error.code)
    }
  }
  return became`

export interface CodeYard {
  readonly hub: Hub
  readonly stage: Stage
  readonly entries: { notes: Json; math: Json }
  /** The tools that `notes` was asked for since this was last looked at, calls of `math` not among them. */
  called(): Promise<string[]>
  /** Resolves when `notes` has heard a message that fits. */
  heard(fits: (message: Message) => boolean): Promise<Message>
  /** The configuration with these sections changed, as it is or as it is put into place. */
  config(more?: Json): Json
  close(): Promise<void>
}

export async function openCodeYard(more: Json = {}, entry: Json = {}): Promise<CodeYard> {
  const stage = await openStage()
  const entries = {
    notes: stage.entry(
      { tools: NOTES, on: { "tools/call": playNotes } },
      { description: "Notes of the team", ...entry },
    ),
    math: stage.entry({ tools: MATH, on: { "tools/call": playMath } }),
  }
  const config = (other: Json = {}): Json => ({ mcpServers: entries, ...more, ...other })
  const hub = await startHub(config())
  await hub.waitUp("notes", "math")
  let seen = 0
  const calls = async (): Promise<string[]> =>
    (await stage.puppet(entries.notes)).received
      .filter(({ method }) => method === "tools/call")
      .map(({ params }) => params.name as string)
  return {
    hub,
    stage,
    entries,
    config,
    async called() {
      const all = await calls()
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
    heard: async fits => (await stage.puppet(entries.notes)).seen(fits),
    async close() {
      await hub.stop()
      await stage.close()
    },
  }
}
