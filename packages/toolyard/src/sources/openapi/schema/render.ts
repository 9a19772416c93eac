/** Makes fragments of the schemas of a description, in any version of OpenAPI: each once for each amount of detail. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { Description } from "../read/description.ts"
import { resolveUri } from "../read/references.ts"
import { follow, type Located, nameOf, reasonFor, resolveReference } from "../read/resolve.ts"
import { collapse, describe, isTooDeep } from "./collapse.ts"
import { type Detail, type Fragment, LINK, type SchemaNode } from "./fragment.ts"
import { type Complain, copyValues, typesOf } from "./keywords.ts"
import { copyItems, copyOpenProperties, copyProperties } from "./members.ts"
import { mergeAll } from "./merge.ts"
import { outlineProperties } from "./outline.ts"
import { orNull, toUnion } from "./union.ts"

export interface Rendered {
  node: SchemaNode
  links: Fragment[]
}

export type Render = (schema: Located, detail: Detail, name?: string) => Rendered

/** Schemas nested deeper, or larger, than anyone would write them. */
const MAX_NESTING = 60
const MAX_NODES = 20_000
const STRUCTURE =
  /^(?:type|properties|items|allOf|oneOf|anyOf|required|enum|const|additionalProperties|format|pattern)$/

/** What is being made: where links go, and how far it has come. */
interface Work {
  detail: Detail
  links: Fragment[]
  nodes: number
  /** What is being merged into others, so that nothing is merged into itself. */
  merging: Set<unknown>
}

interface Place extends Located {
  depth: number
  nesting: number
  /** The property that it describes. */
  name?: string | undefined
}

export function createRender(description: Description, complain: Complain): Render {
  const made = new Map<unknown, Map<string, Fragment>>()
  const pending: (() => void)[] = []

  function render(schema: Located, detail: Detail, name?: string): Rendered {
    const work = { detail, links: [], nodes: 0, merging: new Set() }
    const node = toNode({ ...schema, depth: detail.depth, nesting: 0, name }, work)
    // Not by recursion: a chain of references may be longer than the stack.
    for (let next = pending.pop(); next; next = pending.pop()) next()
    return { node, links: work.links }
  }

  function fragmentOf(target: Located, depth: number, detail: Detail): Fragment {
    const variants = made.get(target.value) ?? new Map<string, Fragment>()
    made.set(target.value, variants)
    const key = `${detail.mode} ${depth} ${detail.text} ${detail.example}`
    const known = variants.get(key)
    if (known) return known
    const name = nameOf(target.at)
    const fragment: Fragment = { name, node: {}, links: [], size: 0 }
    variants.set(key, fragment)
    pending.push(() => {
      const work = { detail, links: fragment.links, nodes: 0, merging: new Set() }
      fragment.node = toNode({ ...target, depth, nesting: 0 }, work)
      fragment.size = JSON.stringify(fragment.node).length
    })
    return fragment
  }

  function toNode(place: Place, work: Work): SchemaNode {
    const { value, at, nesting } = place
    if (value === false) return { not: {} }
    if (!isObject(value)) {
      if (value !== true && value !== undefined) complain("bad_schema", at, "this is no schema: anything is allowed")
      return {}
    }
    if (nesting > MAX_NESTING || ++work.nodes > MAX_NODES) {
      complain("too_deep", at, "what is nested deeper, or is larger, is left open")
      return {}
    }
    if (typeof value.$id === "string") place.uri = resolveUri(value.$id, place.uri) ?? place.uri
    const reference = typeof value.$ref === "string" ? value.$ref : value.$dynamicRef
    if (typeof reference === "string") return toLink(place, value, reference, work)
    const { allOf } = value
    if (place.depth <= 0 && isTooDeep(description, place, value)) return toPlainNode(place, value, work)
    return Array.isArray(allOf) && allOf.length > 0
      ? toMerged(place, value, allOf, work)
      : toPlainNode(place, value, work)
  }

  function toLink(place: Place, schema: JsonObject, reference: string, work: Work): SchemaNode {
    const { uri, at } = place
    const first = resolveReference(description, reference, uri)
    const target = first && follow(description, first)
    const { $ref: _, $dynamicRef: __, ...siblings } = schema
    if (!target) {
      complain(
        "broken_ref",
        at,
        `"${reference}" leads nowhere${reasonFor(description, reference, uri)}: anything is allowed`,
      )
      return toPlainNode({ ...place, value: siblings }, siblings, work)
    }
    if (Object.keys(siblings).some(key => STRUCTURE.test(key))) {
      return toMerged(place, siblings, [{ $ref: reference }], work)
    }
    if (place.depth <= 0 && isObject(target.value) && isTooDeep(description, target, target.value)) {
      // The names of its fields and what is said of it here belong together.
      const text = siblings.description ?? target.value.description
      return toPlainNode({ ...place, ...target }, { ...target.value, description: text }, work)
    }
    const node: SchemaNode = { [LINK]: fragmentOf(target, place.depth, work.detail) }
    work.links.push(node[LINK]!)
    if (work.detail.mode === "input") {
      describe(siblings, node, place.name, work.detail)
      copyValues({ default: siblings.default, deprecated: siblings.deprecated }, node, at, complain, work.detail)
    }
    return siblings.nullable === true && work.detail.mode === "input" ? orNull(node) : node
  }

  function toMerged(place: Place, schema: JsonObject, members: unknown[], work: Work): SchemaNode {
    const { allOf: _, ...own } = schema
    const nodes: SchemaNode[] = []
    for (const [index, member] of members.entries()) {
      const located = follow(description, { value: member, uri: place.uri, at: `${place.at}/allOf/${index}` })
      if (!located) complain("broken_ref", `${place.at}/allOf/${index}`, "this leads nowhere: it is left out")
      if (!located || work.merging.has(located.value)) continue
      work.merging.add(located.value)
      nodes.push(toNode({ ...place, ...located, nesting: place.nesting + 1 }, work))
      work.merging.delete(located.value)
    }
    if (Object.keys(own).length > 0) nodes.push(toPlainNode({ ...place, value: own }, own, work))
    const merged = mergeAll(nodes)
    // One member may require what another has for answers only.
    if (Array.isArray(merged.required) && work.detail.mode === "input") {
      const known = isObject(merged.properties) ? merged.properties : {}
      const hidden = outlineProperties(description, { ...place, value: { ...own, allOf: members } })
        .filter(({ name, schema }) => !Object.hasOwn(known, name) && isHidden(schema, work.detail))
        .map(({ name }) => name)
      if (hidden.length > 0) merged.required = merged.required.filter(name => !hidden.includes(name))
    }
    return merged
  }

  function toPlainNode(place: Place, schema: JsonObject, work: Work): SchemaNode {
    const { at, depth } = place
    const { detail } = work
    const out: SchemaNode = {}
    const types = typesOf(schema, at, complain)
    if (types.length > 0) out.type = types.length === 1 ? types[0] : types
    if (detail.mode === "input") {
      copyValues(schema, out, at, complain, detail)
      const listed = out.description
      describe(schema, out, place.name, detail)
      if (listed !== undefined && out.description !== listed) out.description = `${listed} ${out.description}`
    }
    if (depth <= 0 && isTooDeep(description, place, schema)) return collapse(description, place, schema, out, detail)
    const inner = (key: string, value: unknown, deeper: number, name?: string): SchemaNode =>
      toNode(
        {
          value,
          uri: place.uri,
          at: `${at}/${key}`,
          depth: Math.max(0, depth - deeper),
          nesting: place.nesting + 1,
          name,
        },
        work,
      )
    const isLeftOut = (value: unknown) => isHidden({ value, uri: place.uri, at }, detail)
    const isWhole = copyProperties(schema, out, at, detail, complain, isLeftOut, (key, value, name) =>
      inner(key, value, 1, name),
    )
    copyOpenProperties(schema, out, detail, isWhole, (key, value) => inner(key, value, 1))
    copyItems(schema, out, types, at, complain, (key, value) => inner(key, value, 0))
    const unions = ["oneOf", "anyOf"].flatMap(key => {
      const branches = schema[key]
      if (!Array.isArray(branches) || branches.length === 0) return []
      return [toUnion(branches.map((branch, index) => inner(`${key}/${index}`, branch, 0)))]
    })
    const node = unions.length === 0 ? out : mergeAll([...unions, out])
    const relaxed = detail.mode === "output" ? orNull(node) : node
    return schema.nullable === true && types.length === 0 ? orNull(relaxed) : relaxed
  }

  /** Only ever in answers, or only ever in requests. */
  function isHidden(property: Located, detail: Detail): boolean {
    for (const schema of [property.value, follow(description, property)?.value]) {
      if (isObject(schema) && schema[detail.mode === "input" ? "readOnly" : "writeOnly"] === true) return true
    }
    return false
  }

  return render
}
