/** What the agent can do: the tools of this example. */

type Article = "lamp" | "chair" | "table"

const pieces: Record<Article, number> = { lamp: 12, chair: 0, table: 3 }

/**
 * How many pieces of an article are in stock.
 * @param article What the shop calls it.
 */
export function stock(article: Article): { article: Article; pieces: number } {
  return { article, pieces: pieces[article] }
}

/**
 * Sets pieces of an article aside for a customer.
 * @param article What the shop calls it.
 * @param count How many.
 */
export function reserve(article: Article, count: number): string {
  if (count > pieces[article]) throw new Error(`only ${pieces[article]} pieces of ${article} are left`)
  pieces[article] -= count
  return `${count} × ${article} reserved`
}
