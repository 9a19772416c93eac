/** An API that a description tells of, as a table of operations and one function that sends them. */
import { isObject, type JsonObject } from "../../model/json.ts"
import type { BodyPlan, OperationPlan, OperationTool, ParameterPlan } from "../../sources/openapi/operation.ts"
import { PAGES } from "../../sources/openapi/wire/pages.ts"
import { secretsIn } from "../../surfaces/cli/entry.ts"
import { toOffered } from "./definitions.ts"
import type { EjectInput, Ejection } from "./ejection.ts"
import { withoutSecrets } from "./headers.ts"
import { toLiteral, toVariableName } from "./literal.ts"
import { type Scheme, schemesOf, variablesOf } from "./openapi-auth.ts"
import { type ApiSamples, sampleOperations } from "./openapi-samples.ts"
import { readTemplates } from "./template.ts"

const TEMPLATES = [
  ...["answer", "auth", "body", "encode", "request", "send", "text"].map(name => `src/${name}.ts`),
  "test/requests.test.ts",
]

export async function ejectOpenApi(
  { server, written }: EjectInput,
  { tools, about }: { tools: OperationTool[]; about?: string | undefined },
): Promise<Ejection> {
  const {
    auth = {},
    headers: given = {},
    server: address,
  } = written.entry as { auth?: JsonObject; headers?: Record<string, string>; server?: string }
  const headers = withoutSecrets(given)
  const base = secretsIn({ url: address }).length > 0 ? `\${${toVariableName(server.name)}_URL}` : address
  const plans = new Map(tools.map(({ definition, operation }) => [definition.name, operation]))
  // What is left out was left out when the description was read, by other means than names alone.
  const { include: _, exclude: __, ...all } = server
  const offered = toOffered(
    all,
    tools.map(({ definition }) => definition),
  ).map(({ sourceName, definition }) => ({
    definition: withoutPages(definition),
    operation: plans.get(sourceName) as OperationPlan,
  }))
  const schemes = schemesOf(offered, auth)
  const api = { auth: schemes, headers, server: base }
  const samples: ApiSamples = await sampleOperations(offered, api)
  const table = Object.fromEntries(
    offered.map(({ definition, operation }) => [
      definition.name,
      { ...toRow(operation, api), ...(definition.outputSchema !== undefined && { givesObject: true }) },
    ]),
  )
  const files = await readTemplates(TEMPLATES)
  files.set("src/handlers/operations.ts", operationsText(table, schemes, headers))
  files.set("src/handlers/index.ts", HANDLERS)
  files.set("test/samples.json", `${JSON.stringify(samples.file, undefined, 2)}\n`)
  return {
    tools: offered.map(({ definition }) => definition),
    files,
    dependencies: {},
    variables: variablesOf(schemes, headers, base),
    notes: [
      "`src/handlers/operations.ts` says which request each tool sends; `src/request.ts` sends it.",
      "The test sends every request to a server of its own and looks at what arrives.",
    ],
    warnings: samples.untested.map(name => `${name} is not tested: no arguments could be made up that fit its schema`),
    ...(about !== undefined && { instructions: about }),
  }
}

const HANDLERS = `/** Every tool is one operation of the API. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server"
import { type Api, callOperation } from "../request.ts"
import { createAuth } from "../auth.ts"
import { headers, operations, schemes } from "./operations.ts"

const api: Api = { auth: createAuth(schemes), headers }

export async function callTool(
  name: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const operation = operations.get(name)
  if (!operation) throw new Error(\`there is no operation for \${name}\`)
  return callOperation(operation, args, api, context.mcpReq.signal)
}
`

function operationsText(table: JsonObject, schemes: Record<string, Scheme>, headers: Record<string, string>): string {
  const rows = Object.entries(table).map(([name, row]) => `  [${JSON.stringify(name)}, ${toLiteral(row, 2)}],\n`)
  return `/** The operations of the API, by tool. */
import type { Scheme } from "../auth.ts"
import type { Operation } from "../request.ts"

/** How the API wants to know who calls; the secrets themselves come from the environment. */
export const schemes: Record<string, Scheme> = ${toLiteral(schemes)}

/** Sent with every request; \`\${NAME}\` is a variable of the environment. */
export const headers: Record<string, string> = ${toLiteral(headers)}

export const operations = new Map<string, Operation>([
${rows.join("")}])
`
}

function toRow(
  plan: OperationPlan,
  { auth, server }: { auth: Record<string, Scheme>; server: string | undefined },
): JsonObject {
  const alternatives = plan.security
    .map(({ schemes }) => schemes.map(({ name }) => name))
    .filter(names => names.length > 0 && names.every(name => Object.hasOwn(auth, name)))
  return {
    method: plan.method,
    server: server ?? filledServer(plan),
    path: plan.path,
    ...(plan.parameters.length > 0 && { parameters: plan.parameters.map(toParameter) }),
    ...(plan.body && { body: toBody(plan.body) }),
    ...(alternatives.length > 0 && { security: alternatives }),
  }
}

function filledServer({ servers }: OperationPlan): string {
  const [first] = servers
  const url = first?.url.replace(/\{([^{}]*)\}/g, (place, name: string) => {
    return Object.hasOwn(first.variables, name) ? (first.variables[name]?.default ?? place) : place
  })
  return (url ?? "").replaceAll("${", "$$${")
}

/** Only what is not the usual way is said. */
function toParameter({ argument, name, in: place, style, explode, allowReserved, content }: ParameterPlan): JsonObject {
  const usual = place === "query" || place === "cookie" ? "form" : "simple"
  return {
    name,
    in: place,
    ...(argument !== name && { argument }),
    ...(style !== usual && { style }),
    ...(explode !== (style === "form") && { explode }),
    ...(allowReserved && { allowReserved }),
    ...(content !== undefined && { content }),
  }
}

function toBody({ argument, required, contents }: BodyPlan): JsonObject {
  return {
    ...(argument !== "body" && { argument }),
    ...(required && { required }),
    contents: contents.map(({ mediaType, encoding, files }) => {
      const fields = Object.entries(encoding).map(([name, { headers: _, ...how }]) => [name, how] as const)
      return {
        type: mediaType,
        ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
        ...(files.length > 0 && { files }),
      }
    }),
  }
}

/** Collecting several pages in one call is left to whoever calls. */
function withoutPages<T extends JsonObject>(definition: T): T {
  const { inputSchema } = definition
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
  if (!Object.hasOwn(properties, PAGES)) return definition
  const { [PAGES]: _, ...kept } = properties
  return { ...definition, inputSchema: { ...(inputSchema as JsonObject), properties: kept } }
}
