/** The second word of commands that do several things. */
import { YardError } from "../../model/errors.ts"
import { nearest } from "../../model/nearest.ts"

export function requireAction<K extends string>(action: string, actions: Readonly<Record<K, unknown>>): K {
  const known = Object.keys(actions)
  if (known.includes(action)) return action as K
  const near = nearest(action, known)
  throw new YardError("usage", `there is no "${action}"${near ? `; did you mean "${near}"?` : ""}`, {
    hint: `Write one of ${known.join(", ")}.`,
  })
}
