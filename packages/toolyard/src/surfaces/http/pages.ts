/** Plain pages for people who open an MCP address in a browser. Every string from a server is escaped by `html`. */
import { html } from "hono/html"
import type { Catalog } from "../../catalog/catalog.ts"
import type { Member } from "../../catalog/member.ts"

type Page = ReturnType<typeof html>

const layout = (title: string, body: Page): Page => html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif } body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow: auto; padding: .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .4rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top }
</style></head><body><main>${body}</main></body></html>`

export function yardPage(catalog: Catalog, origin: string): Page {
  const servers = catalog.servers()
  return layout(
    "Toolyard",
    html`<h1>Toolyard</h1>
<p>This is an MCP address. Point an MCP client at <code>${origin}/mcp</code> to use every tool of this yard, or at <code>${origin}/mcp/SERVER</code> for one server.</p>
<h2>Servers</h2>
${
  servers.length === 0
    ? html`<p>None yet. Add one with <code>toolyard add NAME -- COMMAND</code>.</p>`
    : html`<table><thead><tr><th>Server</th><th>State</th><th>Tools</th></tr></thead><tbody>${servers.map(
        member =>
          html`<tr><td><a href="/mcp/meta/${encodeURIComponent(member.name)}">${member.name}</a></td><td>${member.health().state}</td><td>${member.tools.length}</td></tr>`,
      )}</tbody></table>`
}
<h2>Connect a client</h2>
<pre>${JSON.stringify({ mcpServers: { toolyard: { type: "http", url: `${origin}/mcp`, headers: { Authorization: "Bearer TOKEN" } } } }, null, 2)}</pre>`,
  )
}

export function serverPage(member: Member, origin: string): Page {
  const { state, reason } = member.health()
  const { offer, config } = member
  return layout(
    `${member.name} · Toolyard`,
    html`<p><a href="/mcp">Toolyard</a></p><h1>${member.name}</h1>
<p>${config.description ?? offer.instructions ?? ""}</p>
<p>State: <strong>${state}</strong>${reason === undefined ? "" : html` (${reason})`}. Address: <code>${origin}/mcp/${encodeURIComponent(member.name)}</code></p>
<h2>Tools (${member.tools.length})</h2>
${member.tools.map(
  tool =>
    html`<details><summary><code>${tool.name}</code> ${String(tool.definition.description ?? "").slice(0, 200)}</summary><pre>${JSON.stringify(tool.definition.inputSchema, null, 2)}</pre></details>`,
)}
<h2>Resources (${offer.resources.length})</h2><ul>${offer.resources.slice(0, 200).map(resource => html`<li><code>${resource.uri}</code></li>`)}</ul>
<h2>Prompts (${offer.prompts.length})</h2><ul>${offer.prompts.map(prompt => html`<li><code>${prompt.name}</code> ${String(prompt.description ?? "")}</li>`)}</ul>`,
  )
}
