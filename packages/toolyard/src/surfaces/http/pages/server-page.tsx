/** `/mcp/{server}` in a browser: what this server is for, and how to connect to it alone. */
import type { Member } from "../../../catalog/member.ts"
import { Address, Connect } from "./connect.tsx"
import { exampleArguments } from "./example.ts"
import { State } from "./health.tsx"
import { Layout } from "./layout.tsx"
import { Pager, pageOf } from "./pager.tsx"
import { metaPath, type PageDeps, type Place, serverPath } from "./place.ts"
import { cut, plural, toOneLine } from "./text.ts"
import { VISITOR } from "./tools.tsx"

const SIZE = 60
const LONGEST_INSTRUCTIONS = 3000

export interface ServerPageProps {
  deps: PageDeps
  member: Member
  origin: string
  query: URLSearchParams
}

export function ServerPage({ deps, member, origin, query }: ServerPageProps) {
  const { name, offer } = member
  const place = toPlace(deps, member, origin)
  const part = pageOf(member.tools, query.get("page") ?? undefined, SIZE)
  return (
    <Layout title={`${name} · Toolyard`} version={deps.version} trail={[{ text: name }]}>
      <Heading member={member} />
      {member.source && (
        <>
          <Address place={place} />
          <p>
            It offers {plural(member.tools.length, "tool")}, {plural(offer.resources.length, "resource")} and{" "}
            {plural(offer.prompts.length, "prompt")}. <a href={metaPath(name)}>Schemas, health and a connection test</a>
          </p>
          <section aria-labelledby="tools">
            <h2 id="tools">Tools ({member.tools.length})</h2>
            {member.tools.length === 0 && <p class="empty">It offers none.</p>}
            <ul class="list">
              {part.items.map(({ name, definition }) => (
                <li>
                  <a href={`${metaPath(member.name)}?${new URLSearchParams({ tool: name })}#tools`}>
                    <code>{toOneLine(name, 128)}</code>
                  </a>
                  <span class="about">{toOneLine(definition.description)}</span>
                </li>
              ))}
            </ul>
            <Pager part={part} name="page" what="tools" query={query} anchor="tools" />
          </section>
          <Connect place={place} />
        </>
      )}
    </Layout>
  )
}

/** Name, state and what the server says of itself; where it is not there, why. */
export function Heading({ member }: { member: Member }) {
  const { name, config, offer } = member
  const { state, reason } = member.health()
  const { instructions } = offer
  return (
    <>
      <h1>
        {name} <State state={state} />
      </h1>
      {config.description !== undefined && <p class="lead prose">{cut(config.description, 2000)}</p>}
      {state !== "up" && (
        <p class="reason">
          This server is {state}
          {reason === undefined ? "." : `: ${cut(reason, 2000)}`}
        </p>
      )}
      {state === "disabled" && (
        <p>
          Nothing answers at <code>{serverPath(name)}</code> until it is enabled in <code>toolyard.json</code>.
        </p>
      )}
      {instructions !== undefined && (
        <details class="alone" open={instructions.length < 400}>
          <summary>What it says of itself</summary>
          <p class="prose">{cut(instructions.trim(), LONGEST_INSTRUCTIONS)}</p>
          {instructions.length > LONGEST_INSTRUCTIONS && (
            <p class="note">
              There are {plural(instructions.length - LONGEST_INSTRUCTIONS, "character")} more: see{" "}
              <code>/api/servers/{name}</code>.
            </p>
          )}
        </details>
      )}
    </>
  )
}

export function toPlace({ catalog, needsToken, configFile }: PageDeps, member: Member, origin: string): Place {
  const { name } = member
  const tool = member.tools.find(candidate => catalog.isCallable(candidate, VISITOR))
  return {
    name,
    origin,
    url: `${origin}${serverPath(name)}`,
    server: name,
    needsToken,
    configFile: configFile() ?? "toolyard.json",
    ...(tool && {
      example: { tool: tool.name, id: tool.id, args: exampleArguments(tool.definition.inputSchema) },
    }),
  }
}
