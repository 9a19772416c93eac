/** Two read-only guards at once: each can only take away. */
import type { ReadOnly } from "../../model/caller.ts"

export function stricter(one: ReadOnly | undefined, other: ReadOnly | undefined): ReadOnly | undefined {
  if (one === "strict" || other === "strict") return "strict"
  return one || other || (one ?? other)
}
