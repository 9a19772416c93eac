/**
 * A parsed page as Markdown for a model: headings, lists, tables, links and code. Linear in the page's size and sparing
 * with the stack, which the converters that npm has are not: a hostile page ends them, and a long one outlasts the limit.
 */
import { type HtmlNode, isInline, isSilent, textOf, visit } from "./html-node.ts"

/** Deeper than anybody lays out a page. Below, only the text counts. */
const MAX_DEPTH = 300
const GUTTER = /(?:^|\s)(?:gutter|linenos?|line-numbers?(?:-rows)?|rouge-gutter)(?:\s|$)/
const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#-]+)/
/** What only a page that is laid out by tables has in a cell. */
const NOT_IN_CELLS = /^(?:table|pre|h[1-6]|section|article|form)$/

export interface MarkdownOptions {
  /** Against which links are resolved. */
  base: string
  /** Parts that are not content. */
  skip(node: HtmlNode): boolean
}

/** Blocks that are finished, and the line that is being written. */
interface Page {
  blocks: string[]
  line: string
}

export function toMarkdown(root: HtmlNode, options: MarkdownOptions): string {
  return render(root.children ?? [], 0, options).join("\n\n")
}

function render(nodes: readonly HtmlNode[], depth: number, options: MarkdownOptions): string[] {
  const page: Page = { blocks: [], line: "" }
  for (const node of nodes) write(node, page, depth, options)
  flush(page)
  return page.blocks
}

function write(node: HtmlNode, page: Page, depth: number, options: MarkdownOptions): void {
  if (node.type === "text") page.line += (node.data ?? "").replace(/\s+/g, " ")
  if (node.type === "text" || isSilent(node) || isGutter(node) || options.skip(node)) return
  const name = node.name ?? ""
  if (name === "br") page.line += "\n"
  else if (name === "img") page.line += node.attribs?.alt ?? ""
  else if (name === "pre") put(page, toFence(node))
  else if (depth > MAX_DEPTH) put(page, textOf(node).replace(/\s+/g, " ").trim())
  else if (/^(?:code|kbd|samp|tt)$/.test(name)) page.line += toInlineCode(textOf(node, " "))
  else if (name === "a") writeLink(node, page, depth, options)
  else if (/^h[1-6]$/.test(name)) {
    const title = render(node.children ?? [], depth + 1, options)
      .join(" ")
      .replace(/\s+/g, " ")
    put(page, title && `${"#".repeat(Number(name[1]))} ${title}`)
  } else if (name === "ul" || name === "ol") put(page, toList(node, depth, options))
  else if (name === "blockquote") {
    put(
      page,
      render(node.children ?? [], depth + 1, options)
        .join("\n\n")
        .replace(/^/gm, "> "),
    )
  } else if (name === "table" && isOfData(node)) put(page, toTable(node, depth, options))
  else {
    if (!isInline(node)) flush(page)
    for (const child of node.children ?? []) write(child, page, depth + 1, options)
    if (!isInline(node)) flush(page)
  }
}

function flush(page: Page): void {
  const line = page.line
    .replace(/ *\n */g, "\n")
    .replace(/ {2,}/g, " ")
    .trim()
  page.line = ""
  if (line !== "") page.blocks.push(line)
}

function put(page: Page, block: string): void {
  flush(page)
  if (block !== "") page.blocks.push(block)
}

function writeLink(node: HtmlNode, page: Page, depth: number, { base, ...options }: MarkdownOptions): void {
  const inner: Page = { blocks: [], line: "" }
  for (const child of node.children ?? []) write(child, inner, depth + 1, { base, ...options })
  const { blocks, line } = inner
  const href = node.attribs?.href ?? ""
  // A mark to link to the heading that it stands at.
  if (blocks.length === 0 && href.startsWith("#") && /^[\s#¶§🔗\u200b]*$/u.test(line)) return
  const target = URL.canParse(href, base) ? new URL(href, base) : undefined
  if (blocks.length > 0) for (const block of blocks) put(page, block)
  const text = line.trim()
  const leads = target?.protocol === "http:" || target?.protocol === "https:"
  const isPlain = !leads || href === "" || href.startsWith("#") || text === "" || text === href || text === target.href
  page.line += isPlain ? line : line.replace(text, () => `[${text}](${target.href})`)
}

function toList(list: HtmlNode, depth: number, options: MarkdownOptions): string {
  const items: string[] = []
  for (const node of list.children ?? []) {
    const blocks = render(node.name === "li" ? (node.children ?? []) : [node], depth + 1, options)
    if (blocks.length === 0) continue
    const mark = list.name === "ol" ? `${items.length + 1}. ` : "- "
    items.push(mark + blocks.join("\n").replace(/\n(?!\n)/g, `\n${" ".repeat(mark.length)}`))
  }
  return items.join("\n")
}

function toTable(table: HtmlNode, depth: number, options: MarkdownOptions): string {
  const rows: string[][] = []
  visit(table, node => {
    if (node.name !== "tr") return !isSilent(node)
    const cells = (node.children ?? []).filter(({ name }) => name === "td" || name === "th")
    rows.push(cells.map(cell => toCell(render(cell.children ?? [], depth + 1, options))))
    return false
  })
  const [head = [], ...rest] = rows.filter(row => row.some(cell => cell !== ""))
  const print = (row: readonly string[]) => `| ${row.join(" | ")} |`
  return head.length === 0 ? "" : [print(head), print(head.map(() => "---")), ...rest.map(print)].join("\n")
}

function toCell(blocks: readonly string[]): string {
  return blocks.join(" ").replace(/\s+/g, " ").replaceAll("|", "\\|")
}

function isOfData(table: HtmlNode): boolean {
  let isFit = true
  visit(table, node => {
    if (node !== table && NOT_IN_CELLS.test(node.name ?? "")) isFit = false
    return isFit
  })
  return isFit
}

function toInlineCode(text: string): string {
  const code = text.replace(/\s+/g, " ").trim()
  if (code === "") return ""
  return code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``
}

function toFence(pre: HtmlNode): string {
  const code = codeOf(pre, "")
  // Where every line is an element of its own, its end is the line's end.
  const text = (code.trim().includes("\n") ? code : codeOf(pre, "\n")).replace(/^\s*\n|\s+$/g, "")
  if (text === "") return ""
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)))
  return `${fence}${languageOf(pre)}\n${text}\n${fence}`
}

function codeOf(pre: HtmlNode, lineEnd: string): string {
  const parts: string[] = []
  visit(
    pre,
    node => {
      if (isSilent(node) || isGutter(node)) return false
      if (node.type === "text") parts.push(node.data ?? "")
      if (node.name === "br") parts.push("\n")
      return true
    },
    ({ name }) => {
      if (name === "div" || name === "li" || name === "tr" || name === "p") parts.push(lineEnd)
    },
  )
  return parts.join("")
}

function isGutter({ attribs }: HtmlNode): boolean {
  return attribs?.class !== undefined && GUTTER.test(attribs.class)
}

function languageOf(pre: HtmlNode): string {
  const code = pre.children?.find(({ name }) => name === "code")
  for (const node of [pre, code, pre.parent, pre.parent?.parent]) {
    const found = node?.attribs?.class?.match(LANGUAGE)?.[1] ?? node?.attribs?.["data-lang"]
    if (found !== undefined && /^[\w+#-]+$/.test(found)) return found
  }
  return ""
}
