/** Markdown: to HTML, and what is in it. */
import { Marked, type Token, type Tokens } from "marked"

/**
 * Turns Markdown (CommonMark and GitHub's additions) into HTML. Tags in the text are shown, not followed.
 * @param markdown - The text.
 * @readOnly
 */
export function toHtml(markdown: string): string {
  const shown = (html: string): string => html.replace(/[&<>]/g, sign => `&#${sign.charCodeAt(0)};`)
  return new Marked({ async: false, renderer: { html: ({ text }) => shown(text) } }).parse(markdown) as string
}

export interface Heading {
  /** 1 is the highest. */
  level: number
  text: string
}

/**
 * The headings of a text, in their order.
 * @param markdown - The text.
 * @readOnly
 */
export function outline(markdown: string): Heading[] {
  const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading"
  return new Marked()
    .lexer(markdown)
    .filter(isHeading)
    .map(({ depth, text }) => ({ level: depth, text }))
}

export interface Link {
  text: string
  href: string
}

/**
 * The links in a text, in their order.
 * @param markdown - The text.
 * @readOnly
 */
export function links(markdown: string): Link[] {
  const found: Link[] = []
  const marked = new Marked()
  marked.walkTokens(marked.lexer(markdown), token => {
    if (token.type === "link") found.push({ text: token.text, href: token.href })
  })
  return found
}
