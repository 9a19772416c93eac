/**
 * The MCP server itself: over stdin and stdout, or with `--http PORT` over HTTP on 127.0.0.1.
 * Imported before everything else: whatever prints from then on prints to stderr, and `.env` has been read.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { loadEnvFile } from "node:process"
import { pipeline, Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import {
  type CallToolResult,
  createMcpHandler,
  type GetPromptResult,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { Ajv, AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv"

export type Json = Record<string, unknown>

export interface Tool extends Json {
  name: string
  inputSchema: Json
}

export interface Offer {
  name: string
  version: string
  instructions?: string
  /** Sent to clients exactly as they are. */
  tools: readonly Tool[]
  callTool(name: string, args: Json, context: ServerContext): Promise<CallToolResult>
  resources?: { list: readonly Json[]; templates: readonly Json[]; read(uri: string): Promise<ReadResourceResult> }
  prompts?: { list: readonly Json[]; get(name: string, args: Record<string, string>): GetPromptResult }
}

const { stdout } = process
Object.defineProperty(process, "stdout", { value: process.stderr, configurable: true })
try {
  loadEnvFile(fileURLToPath(new URL("../.env", import.meta.url)))
} catch {
  // There need not be one.
}

export async function serve(offer: Offer): Promise<void> {
  const { values } = parseArgs({ options: { http: { type: "string" } } })
  const check = createCheck(offer.tools)
  const build = (): Server => buildServer(offer, check)
  if (values.http !== undefined) return serveHttp(build, Number(values.http))
  serveStdio(build, { transport: new StdioServerTransport(process.stdin, stdout) })
  process.stdin.on("close", () => process.exit(0))
}

function buildServer(
  { name, version, instructions, tools, callTool, resources, prompts }: Offer,
  check: Check,
): Server {
  const capabilities = { tools: {}, ...(resources && { resources: {} }), ...(prompts && { prompts: {} }) }
  const server = new Server({ name, version }, { capabilities, ...(instructions !== undefined && { instructions }) })
  server.setRequestHandler("tools/list", () => ({ tools }) as never)
  server.setRequestHandler("tools/call", async ({ params }, context): Promise<CallToolResult> => {
    const args = params.arguments ?? {}
    const wrong = check(params.name, args)
    if (wrong !== undefined) return failure(`the arguments do not fit: ${wrong}`)
    return callTool(params.name, args, context).catch((error: unknown) => failure(messageOf(error)))
  })
  if (resources) {
    server.setRequestHandler("resources/list", () => ({ resources: resources.list }) as never)
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: resources.templates }) as never)
    server.setRequestHandler("resources/read", ({ params }) => resources.read(params.uri))
  }
  if (prompts) {
    server.setRequestHandler("prompts/list", () => ({ prompts: prompts.list }) as never)
    server.setRequestHandler("prompts/get", ({ params }) => prompts.get(params.name, params.arguments ?? {}))
  }
  return server
}

type Check = (tool: string, args: Json) => string | undefined

/** Arguments against the tool's own schema, which is compiled at the first call. */
function createCheck(tools: readonly Tool[]): Check {
  // A format is a hint for whoever fills the arguments in, not a reason to refuse them.
  const options = { strict: false, validateFormats: false, validateSchema: false }
  const ajv = new AjvJsonSchemaValidator(new Ajv(options))
  const compile = ({ inputSchema }: Tool): ((args: Json) => string | undefined) => {
    try {
      const validate = ajv.getValidator(inputSchema)
      return args => {
        const result = validate(args)
        return result.valid ? undefined : result.errorMessage
      }
    } catch {
      // A schema that can't be compiled checks nothing.
      return () => undefined
    }
  }
  const checks = new Map<string, ReturnType<typeof compile>>()
  return (name, args) => {
    const tool = tools.find(tool => tool.name === name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${JSON.stringify(name)}`)
    const known = checks.get(name) ?? compile(tool)
    checks.set(name, known)
    return known(args)
  }
}

async function serveHttp(build: () => Server, port: number): Promise<void> {
  const handler = createMcpHandler(build)
  const server = createServer(async (request, response) => {
    try {
      const asked = toRequest(request, response)
      const refused =
        hostHeaderValidationResponse(asked, localhostAllowedHostnames()) ??
        originValidationResponse(asked, localhostAllowedOrigins())
      const answer = refused ?? (await handler.fetch(asked))
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body) pipeline(Readable.fromWeb(answer.body as never), response, () => {})
      else response.end()
    } catch (error) {
      if (!response.headersSent) response.writeHead(500)
      response.end(messageOf(error))
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve)
  })
  const address = server.address()
  console.error(`http://127.0.0.1:${typeof address === "object" ? address?.port : port}/mcp`)
}

function toRequest(request: IncomingMessage, response: ServerResponse): Request {
  const { method = "GET", url = "/" } = request
  const headers = Object.entries(request.headersDistinct).map(([name, all]): [string, string] => [
    name,
    all!.join(", "),
  ])
  const hasBody = method !== "GET" && method !== "HEAD"
  const left = new AbortController()
  response.once("close", () => left.abort())
  return new Request(`http://${request.headers.host ?? "localhost"}${url}`, {
    method,
    headers,
    signal: left.signal,
    ...(hasBody && { body: Readable.toWeb(request) as never, duplex: "half" }),
  })
}

export function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
