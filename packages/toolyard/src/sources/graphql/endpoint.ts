/** The address where a GraphQL server answers: documents are sent there, and the schema is asked for. */
import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { CLIENT_INFO } from "../../model/mcp.ts"
import type { ToolResult, YardAccess } from "../../model/source.ts"
import { secretsIn } from "../openapi/api.ts"
import { deliver } from "../openapi/wire/deliver.ts"
import { readAll } from "../openapi/wire/read-all.ts"
import { readAnswer } from "../openapi/wire/result.ts"
import { openTransport, type WireRequest } from "../openapi/wire/transport.ts"
import { toGraphQlResult } from "./answer.ts"

export interface Endpoint {
  /** The answer to an introspection query, as text. */
  introspect(query: string, signal: AbortSignal): Promise<string>
  send(request: GraphQlRequest, call: Call, signal: AbortSignal, yard: YardAccess): Promise<ToolResult>
  close(): Promise<void>
}

export interface GraphQlRequest {
  kind: "query" | "mutation"
  field: string
  query: string
  variables: JsonObject
}

const MAX_SCHEMA_BYTES = 64 * 1024 * 1024

/** `isNamed` when a person wrote the address: only then may its host be an internal one. */
export function openEndpoint(url: string, headers: Record<string, string>, isNamed = true): Endpoint {
  const transport = openTransport({ trusts: () => isNamed })
  const secrets = secretsIn(headers)
  const toRequest = (body: JsonObject): WireRequest => {
    const { origin, pathname, search } = new URL(url)
    return {
      method: "POST",
      origin,
      path: pathname + search,
      headers: [
        ["accept", "application/graphql-response+json, application/json;q=0.9"],
        ["user-agent", `${CLIENT_INFO.name}/${CLIENT_INFO.version}`],
        ...Object.entries(headers),
        ["content-type", "application/json"],
      ],
      body: Buffer.from(JSON.stringify(body)),
    }
  }
  const post = (body: JsonObject, mayRepeat: boolean, signal: AbortSignal) =>
    deliver(toRequest(body), { transport, signal, mayRepeat })

  return {
    async introspect(query, signal) {
      const { status, reason, body } = await post({ query }, true, signal)
      const { bytes, isCut } = await readAll(body, MAX_SCHEMA_BYTES)
      const text = bytes.toString()
      if (status === 200 && !isCut && /"__schema"\s*:\s*\{/.test(text)) return text
      const said = secrets.redact(text.slice(0, 300))
      throw new YardError(
        "fetch_failed",
        `${new URL(url).host} did not give its schema (${status} ${reason}): ${said}`,
        {
          hint: "Set `schema` of the entry to an SDL file, if the server does not tell its schema.",
        },
      )
    },
    async send({ kind, field, query, variables }, call, signal, { putBlob }) {
      const response = await post({ query, variables, operationName: field }, kind === "query", signal)
      const deps = { call, signal, secrets, putBlob, givesObject: false, streamMs: 0 }
      return toGraphQlResult(field, await readAnswer(response, deps), deps)
    },
    close: () => transport.close(),
  }
}
