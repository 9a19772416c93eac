/** How each client wants to be told of an MCP server: its file, and what to write there. */
import type { JsonObject } from "../../../model/json.ts"
import type { Place } from "./place.ts"

export interface ClientSnippet {
  client: string
  /** Where it goes. */
  where: string
  text: string
}

const json = (value: JsonObject): string => JSON.stringify(value, null, 2)

/** Those that connect to a URL first, then those that start a program. */
export function clientSnippets(place: Place): ClientSnippet[] {
  const { url, needsToken } = place
  const name = place.name.replace(/[^A-Za-z0-9_-]/g, "_")
  const headers = needsToken ? { headers: { Authorization: "Bearer TOKEN" } } : {}
  const servers = (entry: JsonObject): string => json({ mcpServers: { [name]: entry } })
  const inCode = vsCode(name, url, needsToken)
  const command = stdioCommand(place)
  const add = `claude mcp add --transport http ${name} '${url}'`
  return [
    {
      client: "Claude Code",
      where: "In a terminal",
      text: needsToken ? `${add} \\\n  --header 'Authorization: Bearer TOKEN'` : add,
    },
    {
      client: "Claude Code (project file)",
      where: ".mcp.json in the project",
      text: servers({ type: "http", url, ...headers }),
    },
    { client: "VS Code", where: ".vscode/mcp.json, or mcp.json of your user profile", text: inCode },
    { client: "Cursor", where: ".cursor/mcp.json or ~/.cursor/mcp.json", text: servers({ url, ...headers }) },
    {
      client: "Windsurf",
      where: "~/.codeium/windsurf/mcp_config.json",
      text: servers({ serverUrl: url, ...headers }),
    },
    { client: "Codex", where: "~/.codex/config.toml", text: codex(name, url, needsToken) },
    {
      client: "Gemini CLI",
      where: ".gemini/settings.json or ~/.gemini/settings.json",
      text: servers({ httpUrl: url, ...headers }),
    },
    {
      client: "GitHub Copilot CLI",
      where: "~/.copilot/mcp-config.json",
      text: servers({ type: "http", url, ...headers, tools: ["*"] }),
    },
    {
      client: "opencode",
      where: "opencode.json (version 1 wants it directly under `mcp`)",
      text: json({ mcp: { servers: { [name]: { type: "remote", url, ...headers } } } }),
    },
    {
      client: "Cline",
      where: "cline_mcp_settings.json: MCP Servers, Configure",
      text: servers({ type: "streamableHttp", url, ...headers, disabled: false, autoApprove: [] }),
    },
    { client: "Roo Code", where: ".roo/mcp.json", text: servers({ type: "streamable-http", url, ...headers }) },
    {
      client: "Claude Desktop",
      where: "claude_desktop_config.json: Settings, Developer, Edit Config",
      text: servers(command),
    },
    {
      client: "Zed",
      where: "settings.json of Zed",
      text: json({ context_servers: { [name]: { ...command, env: {} } } }),
    },
    { client: "Goose", where: "~/.config/goose/config.yaml", text: goose(name, command) },
  ]
}

/** VS Code asks for the token and keeps it itself. */
function vsCode(name: string, url: string, needsToken: boolean): string {
  if (!needsToken) return json({ servers: { [name]: { type: "http", url } } })
  const headers = { Authorization: "Bearer ${input:toolyard-token}" }
  const input = { type: "promptString", id: "toolyard-token", description: "Toolyard token", password: true }
  return json({ inputs: [input], servers: { [name]: { type: "http", url, headers } } })
}

function codex(name: string, url: string, needsToken: boolean): string {
  const lines = [`[mcp_servers.${name}]`, `url = ${JSON.stringify(url)}`]
  if (needsToken)
    lines.push("# The environment variable that holds the token.", 'bearer_token_env_var = "TOOLYARD_TOKEN"')
  return lines.join("\n")
}

/** For clients that know only programs: the yard as one. */
function stdioCommand({ server, configFile }: Place): { command: string; args: string[] } {
  const only = server === undefined ? [] : [`--server=${server}`]
  return { command: "npx", args: ["-y", "toolyard", "stdio", "--config", configFile, ...only] }
}

function goose(name: string, { command, args }: { command: string; args: string[] }): string {
  const lines = [
    "extensions:",
    `  ${name}:`,
    "    type: stdio",
    "    enabled: true",
    `    cmd: ${command}`,
    "    args:",
  ]
  return [...lines, ...args.map(arg => `      - ${JSON.stringify(arg)}`)].join("\n")
}
