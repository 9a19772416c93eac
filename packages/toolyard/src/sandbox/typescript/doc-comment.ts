/** Doc comments as their authors wrote them: the text, and the tags after it. */
import type { Symbol as Member } from "typescript/unstable/sync"

type Node = NonNullable<ReturnType<NonNullable<Member["valueDeclaration"]>["resolve"]>>

export interface DocComment {
  text: string
  tags: DocTag[]
}

export interface DocTag {
  /** Without the `@`. */
  name: string
  text: string
}

/** What stands in a comment, given with its slashes and stars. */
export function readDocComment(comment: string): DocComment {
  const inner = comment.replace(/^\s*\/\*\*?/, "").replace(/\*\/\s*$/, "")
  const whole = inner.split(/\r\n|[\n\r]/).map(line => line.replace(/^\s*\*? ?/, "").trimEnd())
  // On one line a tag may follow the text: `/** How many. @minimum 1 */`.
  const lines = whole.length === 1 ? (whole[0] ?? "").split(/\s+(?=@[A-Za-z])/) : whole
  const text: string[] = []
  const tags: { name: string; lines: string[] }[] = []
  let fenced = false
  for (const line of lines) {
    if (line.trimStart().startsWith("```")) fenced = !fenced
    const tag = fenced ? null : /^\s*@([A-Za-z]\w*)[ \t]*(.*)$/.exec(line)
    if (tag) tags.push({ name: tag[1] ?? "", lines: [tag[2] ?? ""] })
    else (tags.at(-1)?.lines ?? text).push(line)
  }
  return {
    text: withoutLinks(text.join("\n").trim()),
    tags: tags.map(({ name, lines }) => ({ name, text: withoutLinks(lines.join("\n").trim()) })),
  }
}

/** `{@link Page | the page}` says "the page". */
function withoutLinks(text: string): string {
  return text.replace(
    /\{@link(?:code|plain)?\s+([^}|\s]+)(?:\s*\|\s*|\s+)?([^}]*)\}/g,
    (_, to: string, label: string) => {
      return label.trim() || to
    },
  )
}

/** The doc comments that stand before a declaration, the nearest last. */
export function docsBefore(node: Node): DocComment[] {
  const { jsDoc } = node as { jsDoc?: readonly Node[] }
  const { text } = node.getSourceFile()
  const found = jsDoc?.map(({ pos, end }) => text.slice(text.indexOf("/**", pos), end)) ?? []
  if (found.length > 0) return found.map(readDocComment)
  // To the compiler, a comment on the line of the `{` before it belongs to that; to its author, to the property.
  const inline = /^\s*(\/\*\*[\s\S]*?\*\/)/.exec(text.slice(node.pos, node.end))?.[1]
  return inline === undefined ? [] : [readDocComment(inline)]
}

/** The doc comment of a property or a type. */
export function docOf(symbol: Member): DocComment | undefined {
  for (const declaration of symbol.declarations) {
    const node = declaration.resolve()
    const doc = node && docsBefore(node).at(-1)
    if (doc) return doc
  }
  return undefined
}
