/** Text that is mostly JSON. Quotes mean nothing between tags, and escaping them would double the weight of a page. */
import { raw } from "hono/html"

export function Pre({ text }: { text: string }) {
  return <pre>{raw(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"))}</pre>
}
