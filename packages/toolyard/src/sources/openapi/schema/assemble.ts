/** Puts the schema of one tool together: what is recursive or used often and large goes under `$defs`, the rest inline. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { type Fragment, LINK, type SchemaNode } from "./fragment.ts"

/** Characters that `{"$ref":"#/$defs/Name"}` and the key of the definition take. */
const REFERENCE = 40
const MAX_HEIGHT = 30

interface Verdict {
  uses: number
  /** On the way from the root to what is looked at. */
  open: boolean
  define: boolean
  /** Characters when spelled out. */
  size: number
  height: number
}

/** All that is reachable from the node, roughly in characters: enough to know that it is too much. */
export function sizeOf(links: readonly Fragment[], limit: number): number {
  const seen = new Set<Fragment>(links)
  let size = 0
  for (const fragment of seen) {
    size += fragment.size
    if (size > limit) return size
    for (const link of fragment.links) seen.add(link)
  }
  return size
}

export function assemble(node: SchemaNode, links: readonly Fragment[]): JsonObject {
  const verdicts = judge(links)
  const names = new Map<Fragment, string>()
  const taken = new Set<string>()
  const nameOf = (fragment: Fragment): string => {
    let name = names.get(fragment)
    if (name === undefined) {
      name = fragment.name
      for (let i = 2; taken.has(name); i++) name = `${fragment.name}_${i}`
      taken.add(name)
      names.set(fragment, name)
    }
    return name
  }
  const spell = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(spell)
    if (!isObject(value)) return value
    const own = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, spell(part)]))
    const fragment = (value as SchemaNode)[LINK]
    if (!fragment) return own
    if (verdicts.get(fragment)?.define) return { $ref: `#/$defs/${nameOf(fragment)}`, ...own }
    return { ...(spell(fragment.node) as JsonObject), ...own }
  }
  const schema = spell(node) as JsonObject
  if (names.size === 0) return schema
  const $defs: JsonObject = {}
  // Spelling one may name more: the loop sees those as well.
  for (const [fragment, name] of names) $defs[name] = spell(fragment.node)
  return { ...schema, $defs }
}

/** Children before their parents, with a stack of our own: chains of references may be long. */
function judge(links: readonly Fragment[]): Map<Fragment, Verdict> {
  const verdicts = new Map<Fragment, Verdict>()
  const stack: { fragment: Fragment; verdict: Verdict; next: number }[] = []
  const enter = (fragment: Fragment): void => {
    const known = verdicts.get(fragment)
    if (known) {
      known.uses++
      if (known.open) known.define = true
      return
    }
    const verdict = { uses: 1, open: true, define: false, size: fragment.size, height: 1 }
    verdicts.set(fragment, verdict)
    stack.push({ fragment, verdict, next: 0 })
  }
  for (const link of links) {
    enter(link)
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { fragment, verdict } = top
      const link = fragment.links[top.next++]
      if (link) {
        enter(link)
        continue
      }
      stack.pop()
      verdict.open = false
      for (const link of fragment.links) {
        const child = verdicts.get(link)!
        verdict.size += child.define ? REFERENCE : child.size
        if (!child.define) verdict.height = Math.max(verdict.height, child.height + 1)
      }
      if (verdict.height > MAX_HEIGHT) verdict.define = true
    }
  }
  for (const verdict of verdicts.values()) {
    // One definition and references to it, or the whole each time.
    if (verdict.uses > 1 && verdict.size + verdict.uses * REFERENCE < verdict.uses * verdict.size) verdict.define = true
  }
  return verdicts
}
