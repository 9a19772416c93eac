/** The three tools of code mode: `search`, `execute` and `resume`. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { CodeMode } from "../../code/code-mode.ts"
import { describeYard } from "../../code/describe-yard.ts"
import { reportText } from "../../code/report.ts"
import type { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { CodeRequests } from "./code-requests.ts"

export interface OwnTools {
  list(caller: Caller): JsonObject[]
  /** Undefined for a name that is not one of them. */
  call(name: string, args: JsonObject, call: Call): Promise<JsonObject> | undefined
}

const EXECUTE = `Run TypeScript that calls tools. \`tools.server.tool({ … })\` returns a promise of the result as a plain value; a failed call throws ToolError { server, tool, code, message, data }. The value is the last expression or \`return\`. Filter and combine results in the script; return only what you need. Also there: search(query), results.get(runId), input, console, fetch (allowed hosts only). No imports, no files. Types are checked before any tool is called.`

const text = (description?: string): JsonObject => ({ type: "string", ...(description && { description }) })
const whole = (description?: string): JsonObject => ({ type: "integer", ...(description && { description }) })

export function createCodeTools(catalog: Catalog, code: CodeMode): OwnTools {
  return {
    list: caller => [
      {
        name: "search",
        description: "Find tools by what they do. Gives signatures, ready to be used in execute.",
        inputSchema: {
          type: "object",
          properties: { query: text(), server: text(), limit: whole("default 8"), offset: whole() },
          required: ["query"],
        },
        annotations: { readOnlyHint: true },
      },
      {
        name: "execute",
        description: `${EXECUTE}\n\n${describeYard(catalog, caller)}`,
        inputSchema: {
          type: "object",
          properties: {
            code: text(),
            script: text("a saved script, instead of code"),
            input: { description: "what the script finds as `input`" },
            readOnly: { type: "boolean", description: "refuse tools that change things" },
            timeoutMs: whole(),
            background: { type: "boolean", description: "answer at once; wait with resume" },
            saveAs: text("keep the code as a script of this name"),
          },
        },
      },
      {
        name: "resume",
        description: "Continue a run that waits for approval or still works.",
        inputSchema: {
          type: "object",
          properties: {
            runId: text(),
            decision: { enum: ["approve", "always", "deny"], description: "what the user decided" },
            waitMs: whole(),
            cancel: { type: "boolean" },
          },
          required: ["runId"],
        },
      },
    ],
    call(name, args, call) {
      switch (name) {
        case "search":
          return search(catalog, args, call.caller)
        case "execute":
          return execute(args, call)
        case "resume":
          return resume(args, call)
        default:
          return undefined
      }
    },
  }

  // Async, so that a mistake in the arguments is a result like every other failure.
  async function execute(args: JsonObject, call: Call): Promise<JsonObject> {
    const { request, options } = CodeRequests.execute(args)
    return toResult(await code.execute(request, call, options))
  }

  async function resume(args: JsonObject, call: Call): Promise<JsonObject> {
    const { runId, options } = CodeRequests.resume(args)
    return toResult(await code.resume(runId, call, options))
  }

  function toResult(report: Awaited<ReturnType<CodeMode["execute"]>>): JsonObject {
    return {
      content: [{ type: "text", text: reportText(report) }],
      structuredContent: report as unknown as JsonObject,
      ...(report.status === "failed" && { isError: true }),
    }
  }
}

async function search(catalog: Catalog, args: JsonObject, caller: Caller): Promise<JsonObject> {
  const { query, options } = CodeRequests.search(args)
  const { server } = options
  const named = server === undefined ? undefined : catalog.names.server(server)
  if (server !== undefined && !named) {
    const near = catalog.names.nearServer(server)
    throw new YardError("unknown_server", `there is no server "${server}"${near ? `; did you mean "${near}"?` : ""}`)
  }
  await catalog.whenListed(named?.member.name, UNLISTED_SEARCH_MS)
  const results = catalog.search(query, { ...options, caller, ...(named && { server: named.member.name }) })
  const lines = results.map(({ signature }) => signature)
  return {
    content: [{ type: "text", text: lines.length > 0 ? lines.join("\n") : "No tool fits. Try other words." }],
    structuredContent: { results },
  }
}

const UNLISTED_SEARCH_MS = 2_000
