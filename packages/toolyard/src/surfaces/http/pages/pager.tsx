/** Long lists, a page at a time. Nothing is left out without a word: what is not shown is counted and linked to. */

export interface Part<T> {
  items: T[]
  page: number
  pages: number
  total: number
}

export function pageOf<T>(items: readonly T[], asked: string | undefined, size: number): Part<T> {
  const pages = Math.max(1, Math.ceil(items.length / size))
  const number = Number(asked)
  const page = Number.isInteger(number) ? Math.min(Math.max(number, 1), pages) : 1
  return { items: items.slice((page - 1) * size, page * size), page, pages, total: items.length }
}

export interface PagerProps {
  part: Part<unknown>
  /** The query parameter that turns the pages of this list. */
  name: string
  what: string
  query: URLSearchParams
  /** The section to come back to. */
  anchor: string
}

export function Pager({ part: { items, page, pages, total }, name, what, query, anchor }: PagerProps) {
  if (pages === 1) return null
  const to = (number: number): string => {
    const next = new URLSearchParams(query)
    next.set(name, String(number))
    return `?${next}#${anchor}`
  }
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      {page > 1 && (
        <a rel="prev" href={to(page - 1)}>
          Previous
        </a>
      )}
      <span>
        {items.length} of {total.toLocaleString("en")} {what}, page {page} of {pages}
      </span>
      {page < pages && (
        <a rel="next" href={to(page + 1)}>
          Next
        </a>
      )}
    </nav>
  )
}
