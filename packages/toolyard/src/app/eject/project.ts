/** The whole new project: what every ejected server has, and the part that is its own. */
import type { Ejection, Files } from "./ejection.ts"
import { toComment, toLiteral } from "./literal.ts"
import { toReadme } from "./readme.ts"
import { readTemplates } from "./template.ts"

/** What is written into package.json; a test compares it with what is installed here. */
export const VERSIONS = {
  "@modelcontextprotocol/server": "2.4.0",
  "@types/node": "24.19.2",
  typescript: "7.0.2",
} as const
const VERSION = "1.0.0"

const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    strict: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  },
  include: ["src", "test"],
}

export interface Named {
  /** Of the server. */
  name: string
  description: string | undefined
}

export async function toProject({ name, description }: Named, ejection: Ejection): Promise<Files> {
  const { tools, dependencies, devDependencies = {}, variables, isLoose = false } = ejection
  const packageName = toPackageName(name)
  const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`
  const compilerOptions = { ...TSCONFIG.compilerOptions, ...(isLoose && { strict: false, erasableSyntaxOnly: false }) }
  const common = await readTemplates(["src/serve.ts", "test/client.ts", "test/tools.test.ts"])
  const own: Files = new Map<string, string>([
    [
      "package.json",
      json({
        name: packageName,
        version: VERSION,
        private: true,
        ...(description !== undefined && { description }),
        type: "module",
        engines: { node: ">=22.18" },
        bin: { [packageName]: "src/server.ts" },
        scripts: { start: "node src/server.ts", test: 'node --test "test/*.test.ts"', check: "tsc --noEmit" },
        dependencies: sorted({
          "@modelcontextprotocol/server": VERSIONS["@modelcontextprotocol/server"],
          ...dependencies,
        }),
        devDependencies: sorted({
          "@types/node": VERSIONS["@types/node"],
          typescript: VERSIONS.typescript,
          ...devDependencies,
        }),
      }),
    ],
    ["tsconfig.json", json({ ...TSCONFIG, compilerOptions })],
    [".gitignore", "node_modules/\n.env\n"],
    ["tools.json", json(tools)],
    ["src/server.ts", toEntry(name, ejection)],
    ["README.md", toReadme({ name, description }, ejection)],
  ])
  if (variables.length > 0) {
    const lines = variables.map(variable => `# ${variable.purpose}\n${variable.name}=\n`)
    own.set(".env.example", lines.join("\n"))
  }
  return new Map([...own, ...common, ...ejection.files])
}

function toEntry(name: string, { tools, exports = [], instructions }: Ejection): string {
  const offer = { name, version: VERSION, ...(instructions !== undefined && { instructions }) }
  const names = ["callTool", ...exports].sort()
  const members = [...Object.entries(offer).map(([key, value]) => `${key}: ${toLiteral(value)}`), "tools", ...names]
  return `#!/usr/bin/env node
${toComment(`${name}: ${tools.length === 1 ? "1 tool" : `${tools.length} tools`} over MCP. See README.md.`)}
import { serve } from "./serve.ts"
import tools from "../tools.json" with { type: "json" }
import { ${names.join(", ")} } from "./handlers/index.ts"

await serve({
${members.map(member => `  ${member},\n`).join("")}})
`
}

/** As npm allows it. */
export function toPackageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
  return `${plain || "my"}-mcp-server`
}

function sorted(packages: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
}
