/** Messages between the parts of one process. */
import { toText } from "./json-value.ts"
import { messageOf } from "./storage-error.ts"
import type { Bus, Report } from "./types.ts"

type Listener = (message: unknown) => void

export function createBus(report: Report): Bus {
  const topics = new Map<string, Set<{ listener: Listener }>>()

  function deliver(topic: string, message: unknown): void {
    for (const entry of [...(topics.get(topic) ?? [])]) {
      // A listener before this one may have ended the subscription.
      if (!topics.get(topic)?.has(entry)) continue
      try {
        entry.listener(message)
      } catch (error) {
        report(`a listener of ${topic} failed: ${messageOf(error)}`)
      }
    }
  }

  return {
    async publish(topic, message) {
      // Through text even here, so that nothing works in one process that would not between two.
      const text = message === undefined ? undefined : toText(message, `a message on ${topic}`)
      if (!topics.has(topic)) return
      queueMicrotask(() => deliver(topic, text === undefined ? undefined : JSON.parse(text)))
    },
    subscribe(topic, listener) {
      const entry = { listener }
      const entries = topics.get(topic) ?? new Set()
      topics.set(topic, entries.add(entry))
      return () => {
        entries.delete(entry)
        if (entries.size === 0 && topics.get(topic) === entries) topics.delete(topic)
      }
    },
  }
}
