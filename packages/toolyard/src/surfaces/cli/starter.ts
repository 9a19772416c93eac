/** The files that `toolyard init` writes: they say what can be put into them, and start nothing by themselves. */

export function starterText(schemaUrl: string): string {
  return `{
  "$schema": ${JSON.stringify(schemaUrl)},

  // The servers whose tools are to be had. \`toolyard add NAME …\` writes entries here too.
  // Files in the folder "servers" (.ts, .js, .py, executables) are servers without any entry.
  "mcpServers": {
    // A program that is started here, and spoken to over stdin and stdout:
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },

    // A server that runs elsewhere. \${NAME} is taken from the environment, so that no secret stands in this file:
    // "docs": { "type": "http", "url": "https://docs.example/mcp", "headers": { "Authorization": "Bearer \${DOCS_TOKEN}" } },

    // Functions of your own: what a TypeScript, JavaScript or Python file exports becomes tools:
    // "math": { "type": "module", "file": "./math.ts" },
    // "stats": { "type": "python", "file": "./stats.py" },

    // One tool from a command line; {{name}} becomes a parameter:
    // "disk": { "type": "command", "command": "df", "args": ["-h", "{{path}}"] },

    // Tools, resources and prompts written out here:
    // "notes": {
    //   "type": "static",
    //   "tools": { "hello": { "description": "Greets.", "text": "Hello, {{name}}!" } },
    //   "resources": { "file://./README.md": { "description": "What this project is." } },
    //   "prompts": { "review": { "description": "Asks for a review.", "text": "Review {{file}}." } }
    // },

    // An API by its description, or a GraphQL endpoint; or a sentence that a server is generated from:
    // "pets": { "type": "openapi", "spec": "./petstore.yaml" },
    // "shop": { "type": "graphql", "url": "https://shop.example/graphql" },
    // "news": { "type": "prompt", "prompt": "Hacker News: top stories. https://github.com/HackerNews/API" },

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

export type ExampleLanguage = "ts" | "py"

/** A first server of one's own, by the language that it is written in. */
export const EXAMPLES: Record<ExampleLanguage, { file: string; text: string }> = {
  ts: {
    file: "servers/hello.ts",
    text: `/** Greetings: a first server of your own. Every exported function is a tool; edit this file while the hub runs. */

/**
 * Greets somebody.
 * @param name - Who is greeted.
 * @param times - How often. {@minimum 1} {@maximum 10}
 */
export function greet(name: string, times = 1): string {
  return Array.from({ length: times }, () => \`Hello, \${name}!\`).join("\\n")
}

interface Trip {
  /** Where it starts. */
  from: string
  to: string
  by?: "train" | "bike" | "foot"
}

/** Describes a trip. */
export function describeTrip({ from, to, by = "train" }: Trip): { text: string; green: boolean } {
  return { text: \`From \${from} to \${to} by \${by}\`, green: true }
}
`,
  },
  py: {
    file: "servers/hello.py",
    text: `"""Greetings: a first server of your own. Every function is a tool; edit this file while the hub runs."""

from typing import Literal


def greet(name: str, times: int = 1) -> str:
    """Greets somebody.

    Args:
        name: Who is greeted.
        times: How often.
    """
    return "\\n".join(f"Hello, {name}!" for _ in range(times))


def describe_trip(start: str, end: str, by: Literal["train", "bike", "foot"] = "train") -> dict[str, str]:
    """Describes a trip."""
    return {"text": f"From {start} to {end} by {by}"}
`,
  },
}
