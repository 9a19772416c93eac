/** `subscriptions/listen`: the stream on which a 2026-07-28 client hears of changes, and of nothing that it did not ask for. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { META } from "../../model/mcp.ts"
import type { OfferList } from "../../model/source.ts"
import type { Changes } from "./changes.ts"
import { notificationText, resultText } from "./exchange.ts"
import type { Cancellable, ModernRequest } from "./modern.ts"

const MAX_STREAMS = 1024

const FILTERS: Record<string, OfferList> = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
}

export function openListenStream(
  { address, id, params, reply }: ModernRequest,
  changes: Changes,
): Cancellable | undefined {
  const wanted = params.notifications
  if (!isObject(wanted)) throw new YardError("invalid_params", "subscriptions/listen needs `notifications`, an object")
  if (changes.streams >= MAX_STREAMS) throw new YardError("overloaded", "too many streams are open")
  const capabilities = address.capabilities()
  const honored: JsonObject = {}
  const lists = new Set<OfferList>()
  for (const [filter, list] of Object.entries(FILTERS)) {
    if (wanted[filter] !== true || !Object.hasOwn(capabilities, list)) continue
    honored[filter] = true
    lists.add(list)
  }
  const asked = Array.isArray(wanted.resourceSubscriptions) ? wanted.resourceSubscriptions : []
  const uris = new Set(asked.filter(uri => typeof uri === "string" && address.resource(uri) !== undefined))
  if (uris.size > 0) honored.resourceSubscriptions = [...uris]

  const meta = { [META.subscriptionId]: id }
  const closing = resultText(
    id,
    JSON.stringify({ resultType: "complete", _meta: { ...meta, [META.serverInfo]: address.info() } }),
  )
  const send = (method: string, body?: JsonObject): void =>
    reply.event(notificationText(method, { ...body, _meta: { ...(isObject(body?._meta) && body._meta), ...meta } }))
  send("notifications/subscriptions/acknowledged", { notifications: honored })
  if (Object.keys(honored).length === 0) {
    reply.end(closing)
    return undefined
  }
  const unwatch = changes.watch({
    address,
    listChanged: changed => {
      for (const list of changed) if (lists.has(list)) send(`notifications/${list}/list_changed`)
    },
    updated: (uri, body) => {
      if (uris.has(uri)) send("notifications/resources/updated", body)
    },
  })
  for (const uri of uris) void changes.subscribe(address, uri).catch(() => uris.delete(uri))
  return {
    abort() {
      unwatch()
      for (const uri of uris) void changes.unsubscribe(address, uri).catch(() => {})
      reply.end(closing)
    },
  }
}
