/** Where a page points: its attributes first, since that is where addresses live, then its text and code. */
import { isDescriptionName } from "./description.ts"
import { type HtmlNode, textOf, visit } from "./html-node.ts"
import { findUrls } from "./urls.ts"

const ATTRIBUTES = ["href", "src", "action"]
/** How pages that draw a description name it. */
const DESCRIPTION_ATTRIBUTES = ["spec-url", "data-url", "data-spec-url", "apidescriptionurl"]
const MAX_LINKS = 50_000

export interface Links {
  /** Every http(s) address of the whole document. */
  links: string[]
  /** Addresses that plainly lead to an API description. */
  descriptions: string[]
}

export function collectLinks(root: HtmlNode, base: string): Links {
  const links = new Set<string>()
  const descriptions = new Set<string>()
  const add = (target: string | undefined, isLink: boolean) => {
    if (target === undefined || !URL.canParse(target.trim(), base)) return
    const url = new URL(target.trim(), base)
    if (url.protocol !== "http:" && url.protocol !== "https:") return
    if (isLink && links.size < MAX_LINKS) links.add(url.href)
    if (isDescriptionName(url)) descriptions.add(url.href)
  }
  visit(root, node => {
    for (const name of ATTRIBUTES) add(node.attribs?.[name], true)
    for (const name of DESCRIPTION_ATTRIBUTES) add(node.attribs?.[name], false)
    // Pages that draw a description are told its address by a script.
    if (node.name === "script") {
      const code = (node.children ?? []).map(({ data }) => data ?? "").join("")
      for (const [, text] of code.matchAll(/["'`]([^"'`\s]{4,500})["'`]/g)) add(text, false)
    }
    return true
  })
  for (const url of findUrls(textOf(root))) add(url.href, true)
  return { links: [...links], descriptions: [...descriptions] }
}
