/** `/mcp/meta/{server}`: everything there is to know of one server, and a call to see it work. */
import type { CatalogTool, Member } from "../../../catalog/member.ts"
import { Address, Connect } from "./connect.tsx"
import { Health, Log, Numbers } from "./health.tsx"
import { Layout } from "./layout.tsx"
import { Offer } from "./offer.tsx"
import { pageOf } from "./pager.tsx"
import { serverPath } from "./place.ts"
import { Heading, type ServerPageProps, toPlace } from "./server-page.tsx"
import { Tools } from "./tools.tsx"
import { TryForm } from "./try-form.tsx"

const SIZE = 50

const SECTIONS = [
  ["Health", "health"],
  ["Try it", "test"],
  ["Tools", "tools"],
  ["Resources", "resources"],
  ["Prompts", "prompts"],
  ["Log", "log"],
  ["Calls", "numbers"],
  ["Connect", "connect"],
] as const

export function MetaPage({ deps, member, origin, query }: ServerPageProps) {
  const { name, tools } = member
  const { only, found, search } = choose(member, query)
  const place = toPlace(deps, member, origin)
  const part = pageOf(found, query.get("page") ?? undefined, SIZE)
  const choices = tools.length <= SIZE ? tools : part.items
  return (
    <Layout
      title={`${name}: diagnostics · Toolyard`}
      version={deps.version}
      trail={[{ text: name, href: serverPath(name) }, { text: "diagnostics" }]}
    >
      <Heading member={member} />
      {member.source ? (
        <>
          <Address place={place} />
          <nav class="sections" aria-label="On this page">
            {SECTIONS.map(([text, id]) => (
              <a href={`#${id}`}>{text}</a>
            ))}
          </nav>
          <Health member={member} />
          <TryForm path={serverPath(name)} tools={choices} chosen={only} all={tools.length} />
          <Tools catalog={deps.catalog} part={part} only={only} count={tools.length} search={search} query={query} />
          <Offer member={member} query={query} />
          <Log member={member} />
          <Numbers member={member} metrics={deps.catalog.metrics.servers.get(name)} />
          <Connect place={place} />
        </>
      ) : (
        <Health member={member} />
      )}
    </Layout>
  )
}

/** All tools; `?tool=` for one, `?q=` for those that have the words in them. */
function choose(
  { tools }: Member,
  query: URLSearchParams,
): { only?: CatalogTool; found: CatalogTool[]; search?: string } {
  const asked = query.get("tool")
  const only = asked === null ? undefined : tools.find(({ name }) => name.toWellFormed() === asked)
  if (only) return { only, found: [only] }
  const search = query.get("q")?.trim() ?? ""
  if (search === "") return { found: tools }
  const words = search.toLowerCase().split(/\s+/)
  const found = tools.filter(({ name, definition }) => {
    const text = `${name} ${typeof definition.description === "string" ? definition.description : ""}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
  return { found, search }
}
