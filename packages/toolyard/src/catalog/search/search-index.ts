/** Search over the tools of the catalog: fielded BM25 with synonyms, in memory. */
import type { SearchDoc } from "./fields.ts"
import { type Postings, toPostings } from "./postings.ts"
import { SYNONYMS } from "./synonyms.ts"
import { toJoined, toPlainName, toTerms, toWords } from "./tokenize.ts"

export { type SearchDoc, toSearchDoc } from "./fields.ts"

export interface SearchOptions {
  limit: number
  offset?: number
  /** Only the tools of this server. */
  server?: string
  /** Only the tools whose ids it accepts. */
  accepts?: (id: string) => boolean
}

export interface SearchHit {
  id: string
  score: number
}

export interface SearchIndex {
  /** The best first, equal scores in the order of the index. A query without a known word finds nothing. */
  search(query: string, options: SearchOptions): SearchHit[]
}

interface Built {
  readonly ids: string[]
  readonly servers: string[]
  readonly postings: Postings
  /** Plain names and ids with the tools they mean, for queries that are exactly one. */
  readonly names: Map<string, number[]>
}

const SYNONYM_WEIGHT = 0.3
/** How much of a query is read: more than anyone types, little enough that a pasted file does no harm. */
const MAX_QUERY = 10_000

/** Costs nothing until the first search, which builds the index and lets go of `docs`. */
export function createIndex(docs: readonly SearchDoc[]): SearchIndex {
  let waiting: readonly SearchDoc[] = docs
  let built: Built | undefined
  return {
    search(query, options) {
      built ??= build(waiting)
      waiting = []
      return search(built, query.slice(0, MAX_QUERY), options)
    },
  }
}

function build(docs: readonly SearchDoc[]): Built {
  const names = new Map<string, number[]>()
  docs.forEach((doc, number) => {
    for (const name of new Set(
      [doc.name, doc.title ?? doc.name, doc.id, `${doc.server} ${doc.name}`].map(toPlainName),
    )) {
      const same = names.get(name)
      if (same) same.push(number)
      else names.set(name, [number])
    }
  })
  return { ids: docs.map(doc => doc.id), servers: docs.map(doc => doc.server), postings: toPostings(docs), names }
}

function search(index: Built, query: string, { limit, offset = 0, server, accepts }: SearchOptions): SearchHit[] {
  const scores = new Float64Array(index.ids.length)
  addScores(index.postings, toQueryTerms(query), scores)
  promoteExact(index, query, scores)

  const from = Math.max(0, offset)
  const to = from + Math.max(0, limit)
  const isWanted = (doc: number): boolean =>
    (server === undefined || index.servers[doc] === server) && (!accepts || accepts(index.ids[doc]!))
  return toBest(scores, to, isWanted)
    .slice(from)
    .map(doc => ({ id: index.ids[doc]!, score: scores[doc]! }))
}

/** The documents with the `count` highest scores above 0, in order. */
function toBest(scores: Float64Array, count: number, isWanted: (doc: number) => boolean): number[] {
  const found: number[] = []
  for (let doc = 0; doc < scores.length; doc++) if (scores[doc]! > 0 && isWanted(doc)) found.push(doc)
  // Sorting bare numbers is many times faster than sorting by them: they tell which few documents need an order.
  const sorted = Float64Array.from(found, doc => scores[doc]!).sort()
  const lowest = sorted[sorted.length - count] ?? 0
  return found
    .filter(doc => scores[doc]! >= lowest)
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .slice(0, count)
}

/** Each term once: a word that a long task repeats is not more wanted for it. */
function toQueryTerms(query: string): Set<string> {
  return new Set(toWords(query).flatMap(word => [...toTerms(word), toJoined(word) ?? []].flat()))
}

function addScores(postings: Postings, query: Set<string>, scores: Float64Array): void {
  // What one term adds to each document: its own weight or that of its best synonym, never both.
  const gains = new Float64Array(scores.length)
  for (const term of query) {
    const gained: number[] = []
    const own = rarityOf(postings, term, scores.length)
    raiseGains(postings, term, own, gains, gained)
    for (const synonym of SYNONYMS.get(term) ?? []) {
      if (query.has(synonym)) continue
      // A rare synonym of a common word is not worth more than that word.
      const rarity = Math.min(own || Number.POSITIVE_INFINITY, rarityOf(postings, synonym, scores.length))
      raiseGains(postings, synonym, SYNONYM_WEIGHT * rarity, gains, gained)
    }
    for (const doc of gained) {
      scores[doc]! += gains[doc]!
      gains[doc] = 0
    }
  }
}

/** The inverse document frequency; 0 for a term that no tool has. */
function rarityOf({ terms, starts }: Postings, term: string, total: number): number {
  const number = terms.get(term)
  if (number === undefined) return 0
  const count = starts[number + 1]! - starts[number]!
  return Math.log(1 + (total - count + 0.5) / (count + 0.5))
}

function raiseGains(postings: Postings, term: string, factor: number, gains: Float64Array, gained: number[]): void {
  const number = postings.terms.get(term)
  if (number === undefined) return
  for (let i = postings.starts[number]!, end = postings.starts[number + 1]!; i < end; i++) {
    const doc = postings.docs[i]!
    const gain = factor * postings.weights[i]!
    if (gains[doc] === 0) gained.push(doc)
    if (gain > gains[doc]!) gains[doc] = gain
  }
}

/** A query that is a tool's name or id wants that tool, however often its words stand elsewhere. */
function promoteExact({ names }: Built, query: string, scores: Float64Array): void {
  const plain = toPlainName(query)
  const exact = names.get(plain)
  if (plain === "" || !exact) return
  const best = scores.reduce((max, score) => Math.max(max, score), 0)
  for (const doc of exact) scores[doc]! += best + 1
}
