/** The yards that are measured: real catalogs, and tasks whose tools and searches are known. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Tool } from "./plausible.ts"
import { GITHUB_TASKS, SMALL_TASKS, type WrittenTask } from "./tasks.ts"

export interface ToolRef {
  server: string
  tool: Tool
}

export interface Task {
  text: string
  /** In the order in which they are called. */
  tools: ToolRef[]
  /** What an agent types into a search, in order. */
  queries: string[]
}

export interface Yard {
  title: string
  servers: Map<string, Tool[]>
  tasks: Task[]
}

interface Query {
  id: string
  text: string
  relevant: string[]
}

export function readYards(dataDir: string): Yard[] {
  const github = readCatalog(dataDir, "github-mcp-server")
  const small = new Map([
    ["slack", readCatalog(dataDir, "modelcontextprotocol_server-slack")],
    ["brave", readCatalog(dataDir, "modelcontextprotocol_server-brave-search")],
  ])
  const { servers: live, tasks } = readLive(join(dataDir, "search"))
  const all = new Map(live)
  for (const file of readdirSync(join(dataDir, "catalogs")).filter(name => name.endsWith(".json"))) {
    all.set(`npm-${toServerName(file.slice(0, -5))}`, readCatalog(dataDir, file.slice(0, -5)))
  }
  return [
    { title: "10 small tools", servers: small, tasks: SMALL_TASKS.map(task => toTask(task, small)) },
    // Each task's own yard is made for it alone.
    { title: "a task's own tools", servers: new Map(), tasks },
    yard("GitHub", new Map([["github", github]]), GITHUB_TASKS),
    { title: `${count(live)} tools of ${live.size} servers`, servers: live, tasks },
    { title: `${count(all)} tools of ${all.size} servers`, servers: all, tasks },
  ]
}

const count = (servers: Map<string, Tool[]>): number =>
  [...servers.values()].reduce((sum, list) => sum + list.length, 0)

function yard(name: string, servers: Map<string, Tool[]>, tasks: WrittenTask[]): Yard {
  return { title: `${count(servers)} ${name} tools`, servers, tasks: tasks.map(task => toTask(task, servers)) }
}

function toTask({ text, tools, queries }: WrittenTask, servers: Map<string, Tool[]>): Task {
  const find = (id: string): ToolRef => {
    const [server, name] = id.split("/") as [string, string]
    const tool = servers.get(server)?.find(candidate => candidate.name === name)
    if (!tool) throw new Error(`There is no tool ${id}`)
    return { server, tool }
  }
  return { text, queries, tools: tools.map(find) }
}

function readCatalog(dataDir: string, name: string): Tool[] {
  return (JSON.parse(readFileSync(join(dataDir, "catalogs", `${name}.json`), "utf8")) as { tools: Tool[] }).tools
}

/** LiveMCPBench: its servers, its tasks, and what an agent typed into a search while it solved them. */
function readLive(dir: string): { servers: Map<string, Tool[]>; tasks: Task[] } {
  const refs = new Map<string, ToolRef>()
  const servers = new Map<string, Tool[]>()
  for (const { id, server, ...rest } of readLines<Tool & { id: string; server: string }>(dir, "livemcp-task/tools")) {
    const { name, description, inputSchema } = rest
    const tool: Tool = { name, description, inputSchema }
    const key = toServerName(server)
    servers.set(key, [...(servers.get(key) ?? []), tool])
    refs.set(id, { server: key, tool })
  }
  const searches = readLines<Query>(dir, "livemcp-agent/queries")
  const tasks = readLines<Query>(dir, "livemcp-task/queries").map(({ id, text, relevant }) => ({
    text,
    tools: relevant.map(ref => refs.get(ref)!),
    queries: searches.filter(search => search.id.startsWith(`${id}#`)).map(search => search.text),
  }))
  return { servers, tasks }
}

const toServerName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")

function readLines<T>(dir: string, name: string): T[] {
  return readFileSync(join(dir, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter(Boolean)
    .map(line => JSON.parse(line) as T)
}
