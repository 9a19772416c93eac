/** Tools → which terms stand in which of them and how much they count there (BM25F), in flat arrays. */
import { FIELD_WEIGHTS, type SearchDoc, toFields } from "./fields.ts"
import { toJoined, toTerms, toWords } from "./tokenize.ts"

const K1 = 1.2
const B = 0.75

/** Term t stands in the documents `docs[starts[t]] … docs[starts[t + 1] - 1]`, and counts `weights[…]` in each. */
export interface Postings {
  readonly terms: ReadonlyMap<string, number>
  readonly starts: Uint32Array
  readonly docs: Uint32Array
  readonly weights: Float32Array
}

/** The terms of all fields of all documents in a row; field f of document d ends at `ends[d * fields + f]`, and is as long as `lengths` says there. */
interface TermStream {
  terms: Map<string, number>
  stream: number[]
  ends: number[]
  lengths: number[]
}

export function toPostings(docs: readonly SearchDoc[]): Postings {
  const { terms, stream, ends, lengths } = toStream(docs)
  const starts = toStarts(terms.size, stream, ends)
  const next = starts.slice()
  const total = starts[terms.size] ?? 0
  const postings = { terms, starts, docs: new Uint32Array(total), weights: new Float32Array(total) }
  const averages = averageLengths(lengths)
  const sums = new Float64Array(terms.size)

  for (let doc = 0, at = 0; doc < docs.length; doc++) {
    const first = at
    for (let field = 0; field < FIELD_WEIGHTS.length; field++) {
      const place = doc * FIELD_WEIGHTS.length + field
      const weight = FIELD_WEIGHTS[field]! / (1 - B + (B * lengths[place]!) / averages[field]!)
      for (const end = ends[place]!; at < end; at++) sums[stream[at]!]! += weight
    }
    for (let i = first; i < at; i++) {
      const term = stream[i]!
      const sum = sums[term]!
      if (sum === 0) continue
      sums[term] = 0
      const place = next[term]!++
      postings.docs[place] = doc
      postings.weights[place] = ((K1 + 1) * sum) / (K1 + sum)
    }
  }
  return postings
}

function toStream(docs: readonly SearchDoc[]): TermStream {
  const terms = new Map<string, number>()
  const stream: number[] = []
  const ends: number[] = []
  const lengths: number[] = []
  // Most words occur many times: each is divided and stemmed once.
  const known = new Map<string, { numbers: number[]; length: number }>()
  const learn = (word: string) => {
    const parts = toTerms(word)
    const joined = toJoined(word)
    const numbers = (joined === undefined ? parts : [...parts, joined]).map(term => toNumber(terms, term))
    // The joined form is the same text once more, so it does not make the field longer.
    const entry = { numbers, length: parts.length }
    known.set(word, entry)
    return entry
  }

  for (const doc of docs) {
    for (const texts of toFields(doc)) {
      let fieldLength = 0
      for (const text of texts) {
        for (const word of toWords(text)) {
          const { numbers, length } = known.get(word) ?? learn(word)
          for (const number of numbers) stream.push(number)
          fieldLength += length
        }
      }
      ends.push(stream.length)
      lengths.push(fieldLength)
    }
  }
  return { terms, stream, ends, lengths }
}

function toNumber(terms: Map<string, number>, term: string): number {
  const number = terms.get(term) ?? terms.size
  terms.set(term, number)
  return number
}

/** Counts the documents of each term, so that all postings fit into arrays of the right size. */
function toStarts(termCount: number, stream: number[], ends: number[]): Uint32Array {
  const starts = new Uint32Array(termCount + 1)
  const lastDoc = new Int32Array(termCount).fill(-1)
  for (let at = 0, doc = 0, last = FIELD_WEIGHTS.length - 1; last < ends.length; doc++, last += FIELD_WEIGHTS.length) {
    for (const end = ends[last]!; at < end; at++) {
      const term = stream[at]!
      if (lastDoc[term] === doc) continue
      lastDoc[term] = doc
      starts[term + 1]!++
    }
  }
  for (let term = 0; term < termCount; term++) starts[term + 1]! += starts[term]!
  return starts
}

function averageLengths(lengths: number[]): number[] {
  const sums = FIELD_WEIGHTS.map(() => 0)
  lengths.forEach((length, i) => {
    sums[i % FIELD_WEIGHTS.length]! += length
  })
  // A field that is empty everywhere must not divide by zero.
  return sums.map(sum => (sum * FIELD_WEIGHTS.length) / lengths.length || 1)
}
