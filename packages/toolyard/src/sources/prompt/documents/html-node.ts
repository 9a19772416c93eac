/** What is used of a parsed page's nodes, and how they are gone through: never by recursion, as deep as a page may be. */

export interface HtmlNode {
  type: string
  name?: string
  data?: string
  attribs?: Record<string, string>
  children?: HtmlNode[]
  parent?: HtmlNode | null
}

/** Elements that can stand within a word. */
const INLINE =
  /^(?:a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr)$/
/** They hold no text for a reader. */
const SILENT =
  /^(?:script|style|noscript|template|iframe|svg|canvas|object|embed|dialog|button|select|textarea|head|title|audio|video|map)$/

export function isInline(node: HtmlNode): boolean {
  return INLINE.test(node.name ?? "")
}

export function isSilent(node: HtmlNode): boolean {
  return node.type === "comment" || node.type === "directive" || SILENT.test(node.name ?? "")
}

/** In document order; `leave` is told when all below a node has been visited. `enter` says whether to go below. */
export function visit(root: HtmlNode, enter: (node: HtmlNode) => boolean, leave?: (node: HtmlNode) => void): void {
  const open: { node: HtmlNode; isDone: boolean }[] = [{ node: root, isDone: false }]
  while (open.length > 0) {
    const { node, isDone } = open.pop()!
    if (isDone) {
      leave?.(node)
      continue
    }
    if (!enter(node)) continue
    open.push({ node, isDone: true })
    const children = node.children ?? []
    for (let index = children.length - 1; index >= 0; index--) open.push({ node: children[index]!, isDone: false })
  }
}

/** The text, with `brk` wherever a block begins or ends. */
export function textOf(root: HtmlNode, brk = "\n"): string {
  const parts: string[] = []
  visit(
    root,
    node => {
      if (isSilent(node)) return false
      if (node.type === "text") parts.push(node.data ?? "")
      else if (node.name === "br") parts.push("\n")
      else if (!isInline(node)) parts.push(brk)
      return true
    },
    node => {
      if (node.type !== "text" && node.name !== "br" && !isInline(node)) parts.push(brk)
    },
  )
  return parts.join("")
}
