/** The tools of a server with their schemas: as many as a page bears, the rest by name and one link away. */
import type { Catalog } from "../../../catalog/catalog.ts"
import type { CatalogTool } from "../../../catalog/member.ts"
import type { Caller } from "../../../model/caller.ts"
import { isObject } from "../../../model/json.ts"
import { Pager, type Part } from "./pager.tsx"
import { Pre } from "./pre.tsx"
import { toOneLine, toReadableJson } from "./text.ts"

/** Those whom the pages tell how to connect. */
export const VISITOR: Caller = { surface: "mcp", principal: "local" }
/** The characters of definitions that one page shows in full; a tool that was asked for by name is always shown. */
const SHOWN_CHARACTERS = 18_000
/** With so many tools, looking for one is worth a field. */
export const SEARCHED_FROM = 15

export interface ToolsProps {
  catalog: Catalog
  part: Part<CatalogTool>
  /** The one tool that was asked for. */
  only: CatalogTool | undefined
  count: number
  search: string | undefined
  query: URLSearchParams
}

export function Tools({ catalog, part, only, count, search, query }: ToolsProps) {
  let left = SHOWN_CHARACTERS
  return (
    <section aria-labelledby="tools">
      <h2 id="tools">Tools ({count})</h2>
      {count > SEARCHED_FROM && (
        <search>
          <form class="search">
            <label for="search">Find a tool</label>
            <input id="search" name="q" type="search" value={search ?? ""} />
            <button type="submit">Find</button>
          </form>
        </search>
      )}
      {(only !== undefined || search !== undefined) && (
        <p class="note">
          {only !== undefined ? "One tool is shown." : `${part.total} with “${toOneLine(search, 80)}”.`}{" "}
          <a href="?#tools">Show all {count}</a>
        </p>
      )}
      {part.total === 0 && search === undefined && <p class="empty">It offers none.</p>}
      <div class="list">
        {part.items.map(tool => {
          const body = <Definition tool={tool} />
          const size = String(body).length
          const isShown = only !== undefined || size <= left
          if (isShown) left -= size
          return (
            <details open={only !== undefined}>
              <summary>
                <code>{toOneLine(tool.name, 128)}</code> <Marks catalog={catalog} tool={tool} />
                <span class="about">{toOneLine(tool.definition.description)}</span>
              </summary>
              {isShown && body}
              <p>
                <a href={toolLink(tool)}>
                  {isShown ? "Try" : "Schema of, and try"} {toOneLine(tool.name, 128)}
                </a>
              </p>
            </details>
          )
        })}
      </div>
      <Pager part={part} name="page" what="tools" query={query} anchor="tools" />
    </section>
  )
}

const toolLink = ({ name }: CatalogTool): string => `?${new URLSearchParams({ tool: name })}#test`

function Definition({ tool: { id, definition } }: { tool: CatalogTool }) {
  const { name: _name, description, inputSchema, outputSchema, ...rest } = definition
  return (
    <div class="definition">
      {typeof description === "string" && <p class="prose">{description.trim()}</p>}
      <p>
        In the whole yard: <code>{id}</code>
      </p>
      <Json title="Input" value={inputSchema ?? {}} />
      {outputSchema !== undefined && <Json title="Output" value={outputSchema} />}
      {Object.keys(rest).length > 0 && <Json title="More" value={rest} />}
    </div>
  )
}

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <h3>{title}</h3>
      <Pre text={toReadableJson(value)} />
    </>
  )
}

/** What its server says of a tool, and what the policy makes of it. */
function Marks({ catalog, tool }: { catalog: Catalog; tool: CatalogTool }) {
  const { annotations } = tool.definition
  const hints = isObject(annotations) ? annotations : {}
  const { action, because } = catalog.decide(tool, VISITOR)
  const marks: [string, string][] = []
  if (hints.readOnlyHint === true) marks.push(["read-only", "calm"])
  else if (hints.destructiveHint === true) marks.push(["destructive", "alarm"])
  if (hints.idempotentHint === true) marks.push(["idempotent", "calm"])
  if (hints.openWorldHint === true) marks.push(["open world", "calm"])
  if (action === "ask") marks.push(["asks first", "alarm"])
  else if (action !== "allow") marks.push([`not offered: ${because}`, "alarm"])
  return (
    <>
      {marks.map(([text, kind]) => (
        <>
          <span class={`mark ${kind}`}>{text}</span>{" "}
        </>
      ))}
    </>
  )
}
