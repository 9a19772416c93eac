/** The operations of an API, read from its description as the sources read it. */
import { dirname, isAbsolute, relative, resolve } from "node:path"
import { YardError } from "../../model/errors.ts"
import { askOrRecall, fetchText, isUrl, readText } from "../../sources/described/text.ts"
import { convertGraphQl, type GraphQlTools } from "../../sources/graphql/convert.ts"
import { openEndpoint } from "../../sources/graphql/endpoint.ts"
import type { GraphQlEntry } from "../../sources/graphql/source.ts"
import type { OpenApiEntry } from "../../sources/openapi/source.ts"
import { convertOpenApi, type OpenApiTools } from "../../sources/openapi/to-tools.ts"
import type { EjectInput } from "./ejection.ts"
import { toContext } from "./open-offer.ts"

export async function readOpenApi({ root, server }: EjectInput, signal: AbortSignal): Promise<OpenApiTools> {
  const { spec } = server.entry as unknown as OpenApiEntry
  const where = isUrl(spec) ? spec : resolve(root, spec)
  const { bytes } = await (isUrl(where) ? fetchText(where, true, toContext(root), signal) : readText(where))
  return toOperations({ root, server }, where, bytes)
}

/** `where`: an address or a path, to which what the description refers to is relative. */
export function toOperations(
  { root, server }: Pick<EjectInput, "root" | "server">,
  where: string,
  bytes: Uint8Array,
): Promise<OpenApiTools> {
  const hosts = server.network.map(host => ({ host, from: "`network`" }))
  if (isUrl(where)) hosts.push({ host: new URL(where).host, from: "`spec`" })
  const inside = isUrl(where) ? "" : relative(root, where)
  const folder = inside.startsWith("..") || isAbsolute(inside) ? dirname(where) : root
  const { include = server.include, exclude = server.exclude } = server.entry as unknown as OpenApiEntry
  return convertOpenApi({ kind: "openapi", bytes, where, root: folder, hosts, include, exclude })
}

export async function readGraphQl({ root, server }: EjectInput, signal: AbortSignal): Promise<GraphQlTools> {
  const { url, schema, headers = {} } = server.entry as unknown as GraphQlEntry
  if (schema === undefined && !(isUrl(url) && URL.canParse(url)))
    throw new YardError("config_invalid", `${server.name} has no usable \`url\``)
  const endpoint = openEndpoint(url, headers)
  const ask = async (): Promise<{ text: string }> => {
    const { getIntrospectionQuery } = await import("graphql")
    return { text: await endpoint.introspect(getIntrospectionQuery(), signal) }
  }
  try {
    const file = schema === undefined ? undefined : resolve(root, schema)
    const { bytes } = await (file === undefined ? askOrRecall(url, toContext(root), signal, ask) : readText(file))
    return convertGraphQl({ kind: "graphql", bytes, where: file ?? url }) as GraphQlTools
  } finally {
    await endpoint.close()
  }
}
