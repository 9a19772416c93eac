/** The catalog as TypeScript: the declarations a script is checked against, and what people and programs read. */
import type { Catalog } from "../catalog/catalog.ts"
import type { NamedServer } from "../catalog/name-table.ts"
import { renderServer, renderTool, renderTools } from "../catalog/typegen/render.ts"
import type { ServerShape } from "../catalog/typegen/shape.ts"
import { YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { Declarations } from "../sandbox/typescript/ambient.ts"

export interface Learned {
  /** The shape of a tool's results, as far as it was seen. */
  schemaOf(toolId: string): { schema: JsonObject; calls: number } | undefined
}

export interface Types {
  /** For the check. The same object as long as nothing changed. */
  declarations(): Declarations
  /** Tool names by server, as JSON text. */
  names(): string
  render(options: { server?: string | undefined; tool?: string | undefined }): string
  /** The servers of a request, every one if none is named. */
  shapes(options: { server?: string | undefined; tool?: string | undefined }): ServerShape[]
}

export function createTypes(catalog: Catalog, learned: Learned): Types {
  let known: { version: number; declarations: Declarations; names: string } | undefined
  const texts = new WeakMap<object, { tsName: string; text: string }>()

  const shapeOf = ({ member, tsName, tools }: NamedServer, withLearned = true): ServerShape => ({
    server: member.name,
    tsName,
    description: member.config.description,
    tools: tools.map(({ tool, tsName: name }) => {
      const seen = withLearned && !tool.definition.outputSchema ? learned.schemaOf(tool.id) : undefined
      return {
        id: tool.id,
        name: tool.name,
        tsName: name,
        definition: tool.definition,
        ...(seen && { resultSchema: seen.schema, learnedFrom: seen.calls }),
      }
    }),
  })

  /**
   * A server's text is made again only when its tools changed. What was learned is left out: it tells what was seen,
   * not all that can be, and must not make a script wrong that is right.
   */
  const textOf = (server: NamedServer): string => {
    const before = texts.get(server.member.tools)
    if (before?.tsName === server.tsName) return before.text
    const text = renderServer(shapeOf(server, false), { docs: false })
    texts.set(server.member.tools, { tsName: server.tsName, text })
    return text
  }

  const current = (): NonNullable<typeof known> => {
    const { version, names } = catalog
    if (known?.version !== version) {
      known = {
        version,
        declarations: { version, files: new Map(names.servers.map(server => [server.tsName, textOf(server)])) },
        names: JSON.stringify(
          Object.fromEntries(names.servers.map(({ tsName, tools }) => [tsName, tools.map(tool => tool.tsName)])),
        ),
      }
    }
    return known
  }

  const shapes: Types["shapes"] = ({ server, tool }) => {
    const { names } = catalog
    if (server === undefined) return names.servers.map(server => shapeOf(server))
    const found = names.server(server)
    if (!found) {
      const near = names.nearServer(server)
      throw new YardError("unknown_server", `there is no server "${server}"${near ? `; did you mean "${near}"?` : ""}`)
    }
    if (tool === undefined) return [shapeOf(found)]
    const named = names.tool(found, tool)
    if (!named) {
      const near = names.nearTool(found, tool)
      const meant = near ? `; did you mean "${near}"?` : ""
      throw new YardError("unknown_tool", `${found.member.name} has no tool "${tool}"${meant}`)
    }
    return [shapeOf({ ...found, tools: [named] })]
  }

  return {
    declarations: () => current().declarations,
    names: () => current().names,
    shapes,
    render({ server, tool }) {
      const found = shapes({ server, tool })
      const [only] = found
      if (tool !== undefined && only) return renderTool(only, (only.tools[0] as { name: string }).name) ?? ""
      return renderTools(found)
    },
  }
}
