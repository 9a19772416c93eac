/** The file that `toolyard init` writes: it says what can be put into it, and starts nothing by itself. */

export function starterText(schemaUrl: string): string {
  return `{
  "$schema": ${JSON.stringify(schemaUrl)},

  // The servers whose tools are to be had. \`toolyard add NAME -- COMMAND\` writes entries here too.
  "mcpServers": {
    // A program that is started here, and spoken to over stdin and stdout:
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },

    // A server that runs elsewhere. \${NAME} is taken from the environment, so that no secret stands in this file:
    // "docs": { "type": "http", "url": "https://docs.example/mcp", "headers": { "Authorization": "Bearer \${DOCS_TOKEN}" } },

    // Any entry may say which tools are offered, and how long a call may take:
    // "github": { "command": "github-mcp-server", "exclude": ["delete_*"], "timeoutMs": 30000 }
  },

  // What may be called: the first rule that fits decides, else the default.
  "policy": {
    "default": "allow",
    "rules": [
      // { "match": "github__delete_*", "do": "deny" }
    ]
  }
}
`
}
