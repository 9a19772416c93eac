/** A GraphQL server as a table of queries and mutations, and one function that sends them. */
import type { JsonObject } from "../../model/json.ts"
import { type GraphQlPlan, type GraphQlTool, toDocument, toVariables } from "../../sources/graphql/operation.ts"
import { secretsIn } from "../../surfaces/cli/entry.ts"
import { referencesIn } from "./as-written.ts"
import { toOffered } from "./definitions.ts"
import type { EjectInput, Ejection } from "./ejection.ts"
import { createSampler, type Sampler } from "./fitting-sample.ts"
import { withoutSecrets } from "./headers.ts"
import { toLiteral, toVariableName } from "./literal.ts"
import { readTemplates } from "./template.ts"

const TEMPLATES = [
  ...["answer", "body", "encode", "graphql", "send", "text"].map(name => `src/${name}.ts`),
  "test/requests.test.ts",
]

export async function ejectGraphQl({ server, written }: EjectInput, tools: GraphQlTool[]): Promise<Ejection> {
  const entry = written.entry as unknown as { url: string; headers?: Record<string, string> }
  const headers = withoutSecrets(entry.headers ?? {})
  const url = secretsIn(written.entry as JsonObject).includes("the URL")
    ? `\${${toVariableName(server.name)}_URL}`
    : entry.url
  const plans = new Map(tools.map(({ definition, plan }) => [definition.name, plan]))
  const offered = toOffered(
    server,
    tools.map(({ definition }) => definition),
  ).map(({ sourceName, definition }) => ({ definition, plan: plans.get(sourceName) as GraphQlPlan }))
  const references = referencesIn({ url, headers })
  const variables = Object.fromEntries(referencesIn(headers).map(({ name }) => [name, `test-${name}`]))
  const expanded = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    value.replace(/\$\{(\w+)[^}]*\}/g, "test-$1"),
  ])
  const sampler = createSampler()
  const samples = offered.flatMap(tool => sampleOf(tool, sampler, Object.fromEntries(expanded)))
  const untested = offered.filter(({ definition }) => !samples.some(({ tool }) => tool === definition.name))
  const files = await readTemplates(TEMPLATES)
  const rows = offered.map(
    ({ definition, plan }) => `  [${JSON.stringify(definition.name)}, ${toLiteral(toRow(plan), 2)}],\n`,
  )
  files.set("src/handlers/index.ts", handlersText(url, headers, rows.join("")))
  files.set("test/samples.json", `${JSON.stringify({ variables, samples }, undefined, 2)}\n`)
  const address = {
    name: "BASE_URL",
    purpose: "the address of the GraphQL server, if it is another one",
    required: false,
  }
  return {
    tools: offered.map(({ definition }) => definition),
    files,
    dependencies: {},
    variables: [
      ...references.map(({ name, hasDefault }) => ({
        name,
        purpose: "stands in the address or the headers of every request",
        required: !hasDefault,
      })),
      address,
    ],
    notes: [
      "`src/handlers/index.ts` says which field each tool asks for, and what of it when the caller does not say.",
    ],
    warnings: untested.map(
      ({ definition }) => `${definition.name} is not tested: no arguments could be made up for it`,
    ),
  }
}

function toRow({ kind, field, variables, selection, select }: GraphQlPlan): JsonObject {
  return {
    kind,
    field,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(selection !== "" && { selection }),
    ...(select !== undefined && { select }),
  }
}

function sampleOf({ definition, plan }: GraphQlTool, sample: Sampler, headers: Record<string, string>): JsonObject[] {
  const args = sample(definition.inputSchema as JsonObject)
  if (!args) return []
  // A made-up selection would select nothing that is there.
  if (plan.select !== undefined) delete args[plan.select]
  const body = { query: toDocument(plan, args), variables: toVariables(plan, args), operationName: plan.field }
  return [
    {
      tool: definition.name,
      arguments: args,
      request: {
        method: "POST",
        path: "/",
        headers: { ...headers, "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(body)).toString("latin1"),
      },
      response: { type: "application/json", body: JSON.stringify({ data: { [plan.field]: {} } }) },
    },
  ]
}

function handlersText(url: string, headers: Record<string, string>, rows: string): string {
  return `/** Every tool is one query or mutation. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server"
import { callField, type Endpoint, type Field } from "../graphql.ts"

const endpoint: Endpoint = ${toLiteral({ url, headers })}

const fields = new Map<string, Field>([
${rows}])

export async function callTool(
  name: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const field = fields.get(name)
  if (!field) throw new Error(\`there is no field for \${name}\`)
  return callField(field, args, endpoint, context.mcpReq.signal)
}
`
}
