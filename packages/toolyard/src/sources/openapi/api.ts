/** The API behind a description: its connections, its secrets, and how it is called. */
import type { Call } from "../../model/call.ts"
import type { ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { ToolResult, YardAccess } from "../../model/source.ts"
import { allowList } from "../../sandbox/fetch/allow-list.ts"
import { isUrl } from "../described/text.ts"
import type { OperationTool } from "./operation.ts"
import type { OpenApiEntry } from "./source.ts"
import { createAuthorizer } from "./wire/auth.ts"
import { createTokens } from "./wire/oauth.ts"
import { Secrets } from "./wire/secrets.ts"
import { sendOperation } from "./wire/send.ts"
import { openTransport, type Transport } from "./wire/transport.ts"

export interface Api {
  call(tool: OperationTool, args: JsonObject, call: Call, signal: AbortSignal, yard: YardAccess): Promise<ToolResult>
  close(): Promise<void>
}

/** Of the time for a call; so that what came is not lost when the time is over. */
const STREAM_SHARE = 0.8

export function openApi(config: ServerConfig, entry: OpenApiEntry): Api {
  const { spec, server, isFound, auth = {}, headers = {} } = entry
  const named = [isFound ? undefined : spec, server].filter(url => url !== undefined && isUrl(url) && URL.canParse(url))
  const hosts = new Set(named.map(url => new URL(url!).hostname))
  // What a file of the project says, a person said.
  const open = openTransport({ trusts: host => !isUrl(spec) || hosts.has(host) })
  const holdsSecrets = [auth, headers].some(given => Object.keys(given).length > 0)
  const transport = isUrl(spec) && holdsSecrets ? toNamedHosts(open, [...named, ...config.network], config.name) : open
  const closing = new AbortController()
  const secrets = secretsIn(headers)
  const tokens = createTokens(transport, closing.signal)
  const authorizer = createAuthorizer({ auth, server: config.name, secrets, tokens })
  return {
    call({ definition, operation }, args, call, signal, yard) {
      const timeoutMs = config.tools[definition.name]?.timeoutMs ?? config.timeoutMs
      return sendOperation(operation, args, {
        transport,
        authorizer,
        secrets,
        headers,
        server,
        call,
        signal,
        givesObject: definition.outputSchema !== undefined,
        streamMs: timeoutMs * STREAM_SHARE,
        blob: yard.blob,
        putBlob: yard.putBlob,
      })
    },
    async close() {
      closing.abort()
      await transport.close()
    },
  }
}

/**
 * A description that stands elsewhere can be changed by others, and then name a host of theirs. What is secret goes only
 * to hosts that a person named: where the description stands, `server`, `network`.
 */
function toNamedHosts(transport: Transport, named: (string | undefined)[], server: string): Transport {
  const list = allowList(named.map(host => ({ host: host ?? "", from: "the entry" })))
  return {
    ...transport,
    async send(request, signal) {
      const url = new URL(request.origin)
      if (list.match(url)) return transport.send(request, signal)
      throw new YardError("fetch_refused", `the description leads to ${url.host}, which nothing in the entry names`, {
        hint: `The secrets of "${server}" would go there. If that is right, add "${url.host}" to its \`network\` in toolyard.json.`,
      })
    },
  }
}

/** Headers that let one in; the others may be seen. */
export function secretsIn(headers: Record<string, string>): Secrets {
  const secrets = new Secrets()
  for (const [name, value] of Object.entries(headers)) {
    if (!/auth|key|token|secret|cookie|password|session/i.test(name)) continue
    secrets.add(name, value)
    const [, bare] = /^\w+ (.*)$/s.exec(value) ?? []
    if (bare !== undefined) secrets.add(name, bare)
  }
  return secrets
}
