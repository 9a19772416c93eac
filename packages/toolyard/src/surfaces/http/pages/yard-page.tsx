/** `/mcp`, `/mcp/all` and `/mcp/code` in a browser: what is served here, and how to connect to it. */
import type { Member } from "../../../catalog/member.ts"
import { Address, Connect } from "./connect.tsx"
import { exampleArguments } from "./example.ts"
import { State } from "./health.tsx"
import { Layout } from "./layout.tsx"
import { Pager, pageOf } from "./pager.tsx"
import { metaPath, type PageDeps, type Place, serverPath } from "./place.ts"
import { plural, toOneLine } from "./text.ts"
import { VISITOR } from "./tools.tsx"

export type YardPath = "/mcp" | "/mcp/all" | "/mcp/code"

const SIZE = 60

export interface YardPageProps {
  deps: PageDeps
  path: YardPath
  origin: string
  query: URLSearchParams
}

export function YardPage({ deps, path, origin, query }: YardPageProps) {
  const { catalog, version } = deps
  const servers = catalog.servers()
  const offersCode = path === "/mcp/code" || (path === "/mcp" && deps.offersCode())
  const part = pageOf(servers, query.get("servers") ?? undefined, SIZE)
  const place = toPlace(deps, path, origin, offersCode)
  const tools = servers.reduce((sum, member) => sum + member.tools.length, 0)
  return (
    <Layout
      title={path === "/mcp" ? "Toolyard" : `${path} · Toolyard`}
      version={version}
      trail={path === "/mcp" ? [] : [{ text: path.slice(5) }]}
    >
      <h1>{path === "/mcp" ? "This yard" : <code>{path}</code>}</h1>
      <p class="lead">
        This is an MCP address: point a client at it, and it can use {plural(tools, "tool")} from{" "}
        {plural(servers.length, "server")}.
      </p>
      <Address place={place} />
      <Offered path={path} offersCode={offersCode} />
      <section aria-labelledby="servers">
        <h2 id="servers">Servers ({servers.length})</h2>
        {servers.length === 0 ? (
          <p class="empty">
            None yet. Add one with <code>toolyard add NAME -- COMMAND</code>.
          </p>
        ) : (
          <ul class="list">
            {part.items.map(member => (
              <Server member={member} />
            ))}
          </ul>
        )}
        <Pager part={part} name="servers" what="servers" query={query} anchor="servers" />
      </section>
      <Connect place={place} />
    </Layout>
  )
}

function Offered({ path, offersCode }: { path: YardPath; offersCode: boolean }) {
  return (
    <ul class="offered">
      <li aria-current={path === "/mcp" ? "true" : undefined}>
        <a href="/mcp">/mcp</a>{" "}
        {path !== "/mcp"
          ? "what the yard is set to offer"
          : offersCode
            ? "offers code mode now: search, execute and resume"
            : "offers every tool directly now"}
      </li>
      <li aria-current={path === "/mcp/all" ? "true" : undefined}>
        <a href="/mcp/all">/mcp/all</a> every tool directly, as server__tool
      </li>
      <li aria-current={path === "/mcp/code" ? "true" : undefined}>
        <a href="/mcp/code">/mcp/code</a> code mode: the agent writes TypeScript that uses the tools
      </li>
    </ul>
  )
}

function Server({ member }: { member: Member }) {
  const { state, reason } = member.health()
  return (
    <li class="server">
      <a class="name" href={serverPath(member.name)}>
        {member.name}
      </a>{" "}
      <State state={state} /> <span class="quiet">{plural(member.tools.length, "tool")}</span>{" "}
      <a class="aside" href={metaPath(member.name)} aria-label={`Diagnostics of ${member.name}`}>
        Diagnostics
      </a>
      <span class="about">{toOneLine(member.config.description ?? member.offer.instructions)}</span>
      {state !== "up" && reason !== undefined && <span class="about reason">{toOneLine(reason, 240)}</span>}
    </li>
  )
}

function toPlace(
  { catalog, needsToken, configFile }: PageDeps,
  path: YardPath,
  origin: string,
  offersCode: boolean,
): Place {
  const tool = catalog.tools().find(candidate => catalog.isCallable(candidate, VISITOR))
  const direct = tool && { tool: tool.id, id: tool.id, args: exampleArguments(tool.definition.inputSchema) }
  const example = offersCode ? { tool: "execute", args: { code: "return 6 * 7" } } : direct
  return {
    name: "toolyard",
    origin,
    url: `${origin}${path}`,
    needsToken,
    configFile: configFile() ?? "toolyard.json",
    ...(example && { example }),
  }
}
