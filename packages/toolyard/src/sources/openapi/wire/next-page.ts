/** Lists that come in pages, collected into one: by `Link` headers, addresses and cursors in the answer, or by counting. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { OperationPlan } from "../operation.ts"
import { isSameHost } from "./deliver.ts"
import type { Headers } from "./headers.ts"
import { COUNTED, CURSOR, LIMIT, pager } from "./pages.ts"
import { valuesOf } from "./transport.ts"

/** What is asked for next: another address of the same host, or the same operation with other arguments. */
export type NextPage = { url: URL } | { args: JsonObject }

export interface Page {
  body: unknown
  headers: Headers
  url: string
}

export function nextPage(plan: OperationPlan, args: JsonObject, page: Page): NextPage | undefined {
  const url = linkOf(page) ?? (isObject(page.body) ? addressIn(page.body) : undefined)
  if (url !== undefined) {
    const target = URL.canParse(url, page.url) ? new URL(url, page.url) : undefined
    return target && isSameHost(target, new URL(page.url)) && target.href !== page.url ? { url: target } : undefined
  }
  const list = listIn(page.body)?.list ?? []
  const cursor = pager(plan, CURSOR)
  if (cursor) {
    const token = isObject(page.body) ? tokenIn(page.body, list, cursor.name) : undefined
    return token === undefined || token === args[cursor.argument]
      ? undefined
      : { args: { ...args, [cursor.argument]: token } }
  }
  const counted = pager(plan, COUNTED)
  const limit = pager(plan, LIMIT)
  if (!counted || list.length === 0) return undefined
  if (limit && list.length < Number(args[limit.argument])) return undefined
  const isPage = /^page/i.test(counted.name)
  const now = Number(args[counted.argument] ?? (isPage ? 1 : 0))
  return { args: { ...args, [counted.argument]: now + (isPage ? 1 : list.length) } }
}

/** The pages as one answer: the last one, with all items in its list. */
export function joinPages(bodies: unknown[]): unknown {
  const items = bodies.flatMap(body => listIn(body)?.list ?? [])
  const last = bodies.at(-1)
  const path = listIn(bodies[0])?.path ?? []
  return place(last, path, items)
}

function place(body: unknown, path: string[], items: unknown[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return items
  const parent = isObject(body) ? body : {}
  return { ...parent, [key]: place(parent[key], rest, items) }
}

/** The list that an answer is about: itself, or the longest one in it, at most two levels down. */
export function listIn(body: unknown, depth = 2): { list: unknown[]; path: string[] } | undefined {
  if (Array.isArray(body)) return { list: body, path: [] }
  if (!isObject(body) || depth === 0) return undefined
  let found: { list: unknown[]; path: string[] } | undefined
  for (const [key, value] of Object.entries(body)) {
    const inner = listIn(value, depth - 1)
    if (inner && (!found || inner.list.length > found.list.length))
      found = { list: inner.list, path: [key, ...inner.path] }
  }
  return found
}

function linkOf({ headers }: Page): string | undefined {
  const links = valuesOf(headers, "link").join(",")
  return [...links.matchAll(/<([^>]*)>([^<]*)/g)].find(([, , rest]) =>
    /;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(rest!),
  )?.[1]
}

const INSIDE = ["links", "_links", "paging", "pagination", "meta", "metadata", "response_metadata", "page", "page_info"]
const around = (body: JsonObject): JsonObject[] => [body, ...INSIDE.map(key => body[key]).filter(isObject)]

function addressIn(body: JsonObject): string | undefined {
  for (const part of around(body)) {
    for (const key of [
      "next",
      "next_page_url",
      "nextPageUrl",
      "next_url",
      "nextLink",
      "@odata.nextLink",
      "next_page_uri",
    ]) {
      const value = isObject(part[key]) ? part[key].href : part[key]
      if (typeof value === "string" && /^(?:https?:\/\/|\/|\?)/.test(value)) return value
    }
  }
  return undefined
}

function tokenIn(body: JsonObject, list: unknown[], name: string): unknown {
  // Stripe's way: the id of the last item, as long as there is more.
  if (/^start(?:ing)?_?after$/i.test(name) && body.has_more === true) {
    const last = list.at(-1)
    return isObject(last) ? last.id : undefined
  }
  for (const part of around(body)) {
    if (part.has_more === false) return undefined
    for (const [key, value] of Object.entries(part))
      if (
        /^(?:next_?(?:page_?)?(?:token|cursor)|next|continuation_?token|continue|after|endCursor|end_cursor)$/i.test(
          key,
        )
      )
        if ((typeof value === "string" && value !== "") || typeof value === "number") return value
  }
  return undefined
}
