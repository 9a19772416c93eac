/** Declarations as text: of a yard, of one server, of one tool. */
import { type Declarations, type DeclareOptions, declareServer } from "./declare.ts"
import type { ServerShape } from "./shape.ts"

export interface RenderOptions extends Pick<DeclareOptions, "docs"> {
  /** Where declarations are kept: gives those of a server, made with the same `docs`. */
  declare?: (server: ServerShape) => Declarations
}

/** One server: its types and its part of `Tools`. */
export function renderServer(server: ServerShape, options: DeclareOptions = {}): string {
  const { types, tools } = declareServer(server, options)
  return types + tools
}

/** One tool of a server, by its name, its TypeScript name or its id; `undefined` if there is none. */
export function renderTool(server: ServerShape, tool: string, options: DeclareOptions = {}): string | undefined {
  const found =
    server.tools.find(({ name }) => name === tool) ??
    server.tools.find(({ id, tsName }) => id === tool || tsName === tool)
  return found && renderServer({ ...server, tools: [found] }, options)
}

/** A whole yard as a declaration file. */
export function renderTools(servers: readonly ServerShape[], options: RenderOptions = {}): string {
  const { docs = true, declare = server => declareServer(server, { docs }) } = options
  const taken = new Set<string>()
  const blocks = servers.map(server => {
    let block = declare(server)
    // Two servers seldom come to the same name for a type (`a` with `bC`, `aB` with `c`): the later one gives way.
    if (block.names.some(name => taken.has(name))) block = declareServer(server, { docs, taken })
    for (const name of block.names) taken.add(name)
    return block.types + block.tools
  })
  return `${blocks.join("")}${servers.length > 0 ? "" : "export interface Tools {}\n"}export declare const tools: Tools\n`
}
