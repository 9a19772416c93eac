/** What the tests of an ejected API send: made-up arguments, and the request that the hub itself makes of them. */
import type { JsonObject } from "../../model/json.ts"
import type { OperationTool } from "../../sources/openapi/operation.ts"
import { addQuery } from "../../sources/openapi/wire/address.ts"
import { createAuthorizer } from "../../sources/openapi/wire/auth.ts"
import { mergeHeaders } from "../../sources/openapi/wire/headers.ts"
import { Secrets } from "../../sources/openapi/wire/secrets.ts"
import { type SendDeps, toRequest } from "../../sources/openapi/wire/send.ts"
import { sampleValue } from "../../sources/prompt/verify/sample.ts"
import { referencesIn } from "./as-written.ts"
import { createSampler, type Sampler } from "./fitting-sample.ts"
import type { Scheme } from "./openapi-auth.ts"

export interface ApiSample {
  tool: string
  arguments: JsonObject
  request: { method: string; path: string; headers: Record<string, string>; body: string }
  response: { type: string; body: string }
}

export interface ApiSamples {
  file: { variables: Record<string, string>; samples: ApiSample[] }
  untested: string[]
}

interface ApiOf {
  auth: Record<string, Scheme>
  headers: Record<string, string>
}

/** Sent by neither, or by each in its own way. */
const NOT_COMPARED = new Set(["accept", "user-agent"])

export async function sampleOperations(tools: OperationTool[], { auth, headers }: ApiOf): Promise<ApiSamples> {
  const named = referencesIn(headers).map(({ name }) => name)
  const variables: Record<string, string> = Object.fromEntries(named.map(name => [name, `test-${name}`]))
  const secrets: Record<string, string> = {}
  for (const [name, { type, variable }] of Object.entries(auth)) {
    secrets[name] = type === "basic" ? `test:${variable}` : `test-${variable}`
    variables[variable] = secrets[name]
  }
  const expanded = Object.entries(headers).map(([name, value]) => [name, value.replace(/\$\{(\w+)[^}]*\}/g, "test-$1")])
  const authorizer = createAuthorizer({ auth: secrets, server: "", secrets: new Secrets(), tokens: NO_TOKENS })
  const deps = { headers: Object.fromEntries(expanded), server: "http://127.0.0.1", blob: async () => undefined }
  const sampler = createSampler()
  const samples: ApiSample[] = []
  const untested: string[] = []
  for (const tool of tools) {
    const sample = await sampleOf(tool, sampler, deps as unknown as SendDeps, authorizer).catch(() => undefined)
    if (sample) samples.push(sample)
    else untested.push(tool.definition.name)
  }
  return { file: { variables, samples }, untested }
}

async function sampleOf(
  { definition, operation }: OperationTool,
  sample: Sampler,
  deps: SendDeps,
  authorizer: ReturnType<typeof createAuthorizer>,
): Promise<ApiSample | undefined> {
  const { name, inputSchema, outputSchema } = definition as {
    name: string
    inputSchema: JsonObject
    outputSchema?: JsonObject
  }
  const args = sample(inputSchema)
  if (!args) return undefined
  const request = await toRequest(operation, args, deps)
  const grant = await authorizer.grant(operation, new AbortController().signal)
  const path = grant.query.reduce((path, [key, value]) => addQuery(path, key, value), request.path)
  const all = mergeHeaders(request.headers, grant.headers).map(([key, value]) => [key.toLowerCase(), value] as const)
  const type = all.find(([key]) => key === "content-type")?.[1]
  const boundary = /boundary=(.+)$/.exec(type ?? "")?.[1] ?? "\0"
  const plain = (text: string): string => text.replaceAll(boundary, "BOUNDARY")
  const shown = all.filter(([key]) => !NOT_COMPARED.has(key)).map(([key, value]) => [key, plain(value)])
  return {
    tool: name,
    arguments: args,
    request: {
      method: operation.method,
      path,
      headers: Object.fromEntries(shown),
      body: plain(request.body ? Buffer.from(request.body).toString("latin1") : ""),
    },
    response: {
      type: "application/json",
      body: JSON.stringify(outputSchema ? sampleValue(outputSchema) : { ok: true }),
    },
  }
}

const NO_TOKENS = { get: () => Promise.reject(new Error("no tokens here")), forget() {} }
