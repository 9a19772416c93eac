/**
 * Schemas as they are made from a description: once for each that is referred to, with links in place of `$ref`s.
 * Which of them a tool spells out and which it has under `$defs` is decided when its schema is put together.
 */
import type { JsonObject } from "../../../model/json.ts"

/** Stands in a node for the schema of another fragment; what else is in the node says more about it. */
export const LINK = Symbol("link to a fragment")

/** JSON, but for links. */
export type SchemaNode = JsonObject & { [LINK]?: Fragment }

export interface Fragment {
  /** As its schema is called in the description. */
  name: string
  node: SchemaNode
  /** All it links to, as often as it does. */
  links: Fragment[]
  /** Characters of its own JSON. */
  size: number
}

/** How much of the description is told. */
export interface Detail {
  mode: "input" | "output"
  /** How many objects deep. */
  depth: number
  /** Characters of the description of one property; none when 0. */
  text: number
  /** Characters of an example or a default value; none when 0. */
  example: number
}
