import { describe, expect, it } from "vitest"
import { clientSnippets } from "./clients.ts"
import type { Place } from "./place.ts"

const place: Place = {
  name: "my server",
  origin: "http://127.0.0.1:7331",
  url: "http://127.0.0.1:7331/mcp/my%20server",
  server: "my server",
  needsToken: true,
  configFile: 'C:\\yard "x"\\toolyard.json',
}
const textFor = (client: string, at: Place = place): string =>
  clientSnippets(at).find(snippet => snippet.client === client)?.text ?? ""
const jsonFor = (client: string, at?: Place): Record<string, unknown> => JSON.parse(textFor(client, at))
const headers = { Authorization: "Bearer TOKEN" }
const command = "npx"
const args = ["-y", "toolyard", "stdio", "--config", place.configFile, "--server=my server"]

describe("clientSnippets", () => {
  it.each([
    ["Claude Code (project file)", { mcpServers: { my_server: { type: "http", url: place.url, headers } } }],
    ["Cursor", { mcpServers: { my_server: { url: place.url, headers } } }],
    ["Windsurf", { mcpServers: { my_server: { serverUrl: place.url, headers } } }],
    ["Gemini CLI", { mcpServers: { my_server: { httpUrl: place.url, headers } } }],
    ["opencode", { mcp: { servers: { my_server: { type: "remote", url: place.url, headers } } } }],
    ["Claude Desktop", { mcpServers: { my_server: { command, args } } }],
    ["Zed", { context_servers: { my_server: { command, args, env: {} } } }],
  ])("V1 speaks the language of %s", (client, expected) => {
    expect(jsonFor(client)).toEqual(expected)
  })

  it("V1 has VS Code ask for the token, and Codex take it from a variable", () => {
    expect(jsonFor("VS Code")).toMatchObject({
      inputs: [{ id: "toolyard-token", password: true }],
      servers: { my_server: { headers: { Authorization: "Bearer ${input:toolyard-token}" } } },
    })
    expect(textFor("Codex")).toContain('bearer_token_env_var = "TOOLYARD_TOKEN"')
  })

  it("V1 says nothing of a token where none is needed", () => {
    for (const { client, text } of clientSnippets({ ...place, needsToken: false }))
      expect(text, client).not.toMatch(/token|authorization/i)
  })

  it("V1 names the whole yard where it is about no single server", () => {
    const { server: _, ...yard } = place
    expect(jsonFor("Claude Desktop", { ...yard, name: "toolyard" })).toEqual({
      mcpServers: { toolyard: { command, args: args.slice(0, -1) } },
    })
  })
})
