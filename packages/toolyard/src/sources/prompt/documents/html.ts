/**
 * HTML as a model reads it: the main content, without what surrounds it. Runs in a thread of its own, since a page can
 * be made so that parsing it takes for ever (see read-html.ts).
 */
import { load } from "cheerio"
import { collectLinks, type Links } from "./html-links.ts"
import { toMarkdown } from "./html-markdown.ts"
import { type HtmlNode, isSilent, visit } from "./html-node.ts"

export interface HtmlPage extends Links {
  title?: string
  markdown: string
}

const MAIN = ["main", "[role=main]", "article", ".markdown-body", "#readme", "#content", "#main", ".content", ".main"]
/** Less of the page's text than this is not its main content. */
const MAIN_SHARE = 0.3
const NAVIGATION = /^(?:navigation|search|menu|menubar|toolbar)$/
const SURROUNDINGS = /^(?:banner|contentinfo|complementary)$/

export function readHtmlPage(html: string, url: string): HtmlPage {
  const $ = load(html)
  const root = $.root()[0] as unknown as HtmlNode
  const base = $("base[href]").first().attr("href") ?? url
  const baseUrl = URL.canParse(base, url) ? new URL(base, url).href : url
  const find = (selector: string) => $(selector).toArray() as unknown as HtmlNode[]
  const { main, isWhole } = pickMain(root, find)
  const skip = (node: HtmlNode) => isNavigation(node) || (isWhole && isSurrounding(node))
  const title = ($("title").first().text() || $("h1").first().text()).replace(/\s+/g, " ").trim().slice(0, 300)
  return {
    ...(title && { title }),
    markdown: toMarkdown(main, { base: baseUrl, skip }),
    ...collectLinks(root, baseUrl),
  }
}

function pickMain(root: HtmlNode, find: (selector: string) => HtmlNode[]): { main: HtmlNode; isWhole: boolean } {
  const sizes = measure(root)
  const body = find("body")[0] ?? root
  const sizeOf = (node: HtmlNode) => sizes.get(node) ?? 0
  for (const selector of MAIN) {
    const largest = find(selector).reduce<HtmlNode | undefined>(
      (best, node) => (best && sizeOf(best) >= sizeOf(node) ? best : node),
      undefined,
    )
    if (largest && sizeOf(largest) > 0 && sizeOf(largest) >= sizeOf(body) * MAIN_SHARE) {
      return { main: largest, isWhole: false }
    }
  }
  return { main: body, isWhole: true }
}

/** How much text there is below each element, navigation aside. */
function measure(root: HtmlNode): Map<HtmlNode, number> {
  const sizes = new Map<HtmlNode, number>()
  visit(
    root,
    node => !isSilent(node) && !isNavigation(node),
    node => {
      const own = node.type === "text" ? (node.data ?? "").trim().length : 0
      sizes.set(
        node,
        (node.children ?? []).reduce((sum, child) => sum + (sizes.get(child) ?? 0), own),
      )
    },
  )
  return sizes
}

function isNavigation({ name, attribs }: HtmlNode): boolean {
  return name === "nav" || attribs?.["aria-hidden"] === "true" || NAVIGATION.test(attribs?.role ?? "")
}

function isSurrounding({ name, attribs }: HtmlNode): boolean {
  return /^(?:header|footer|aside)$/.test(name ?? "") || SURROUNDINGS.test(attribs?.role ?? "")
}
