/** Keeps a 2026-07-28 server's change stream open: the one way such a server tells that something changed. */
import { isObject, type JsonObject } from "../../model/json.ts"
import type { Connection } from "./connection.ts"
import { envelope } from "./modern.ts"

const REOPEN_MS = 1000

export interface Listener {
  /** The resources whose updates are wanted from now on. */
  watch(uris: string[]): void
  close(): void
}

export function listenForChanges(connection: Connection): Listener {
  let uris: string[] = []
  let current: AbortController | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const open = (): void => {
    clearTimeout(timer)
    current?.abort()
    const notifications = wanted(connection.capabilities, uris)
    if (closed || Object.keys(notifications).length === 0) return
    const stream = new AbortController()
    current = stream
    const again = (): void => {
      if (!closed && current === stream) timer = setTimeout(open, REOPEN_MS).unref()
    }
    connection.request("subscriptions/listen", { notifications, _meta: envelope() }, stream.signal).then(again, again)
  }

  open()
  return {
    watch(next) {
      uris = next
      open()
    },
    close() {
      closed = true
      clearTimeout(timer)
      current?.abort()
    },
  }
}

function wanted(capabilities: JsonObject, uris: string[]): JsonObject {
  const changes = (name: string): boolean => isObject(capabilities[name]) && capabilities[name].listChanged === true
  return {
    ...(changes("tools") && { toolsListChanged: true }),
    ...(changes("prompts") && { promptsListChanged: true }),
    ...(changes("resources") && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}
