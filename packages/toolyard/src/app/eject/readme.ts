/** The README of an ejected server: what it offers, how to connect to it, and what it wants to know. */
import type { ToolDefinition } from "../../model/mcp.ts"
import type { Ejection } from "./ejection.ts"
import type { Named } from "./project.ts"

const MOST_TOOLS = 200

export function toReadme({ name, description }: Named, ejection: Ejection): string {
  const { tools, variables, notes } = ejection
  const env = Object.fromEntries(variables.filter(({ required }) => required).map(variable => [variable.name, "…"]))
  const entry = { command: "node", args: ["/path/to/this/folder/src/server.ts"], ...(hasAny(env) && { env }) }
  const sections = [
    `# ${name}`,
    description ?? `An MCP server with ${tools.length === 1 ? "one tool" : `${tools.length} tools`}.`,
    `## Start it

Node 22.18 or newer runs it as it is; there is nothing to build.

\`\`\`sh
npm install
npm test
node src/server.ts           # over stdin and stdout, for a client to start
npm start -- --http 3000     # over HTTP, at http://127.0.0.1:3000/mcp
\`\`\`

In a client's configuration:

\`\`\`json
${JSON.stringify({ mcpServers: { [name]: entry } }, undefined, 2)}
\`\`\``,
    ...(variables.length > 0 ? [variableSection(ejection)] : []),
    toolSection(tools),
    `## Change it

- \`tools.json\`: the tools as clients see them.
- \`src/handlers/\`: what each of them does.
- \`src/serve.ts\`: the server itself, which knows nothing of the tools.
- \`test/\`: \`npm test\` starts the server as a client would; nothing outside of this machine is reached.
- \`npm run check\` checks the types.`,
    ...(notes.length > 0 ? [`## Good to know\n\n${notes.map(note => `- ${note}`).join("\n")}`] : []),
  ]
  return `${sections.join("\n\n")}\n`
}

function variableSection({ variables }: Ejection): string {
  const rows = variables.map(
    ({ name, purpose, required }) => `| \`${name}\` | ${cell(purpose)} | ${required ? "yes" : "no"} |`,
  )
  return `## Environment variables

Set them where the server is started, or copy \`.env.example\` to \`.env\` and fill it in.

| variable | what for | required |
|---|---|---|
${rows.join("\n")}`
}

function toolSection(tools: ToolDefinition[]): string {
  const shown = tools.slice(0, MOST_TOOLS).map(tool => `| \`${tool.name}\` | ${cell(firstSentence(tool))} |`)
  const more = tools.length > MOST_TOOLS ? `\n\n… and ${tools.length - MOST_TOOLS} more: see \`tools.json\`.` : ""
  return `## Tools\n\n| tool | what it does |\n|---|---|\n${shown.join("\n")}${more}`
}

function firstSentence({ title, description }: ToolDefinition): string {
  const text = typeof description === "string" ? description : typeof title === "string" ? title : ""
  const [sentence = ""] = /^.*?(?:[.!?](?=\s)|\n|$)/s.exec(text.trim()) ?? []
  return sentence.length > 160 ? `${sentence.slice(0, 159).toWellFormed()}…` : sentence
}

/** A cell of a table holds no line breaks and no bars. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim()
}

const hasAny = (value: object): boolean => Object.keys(value).length > 0
