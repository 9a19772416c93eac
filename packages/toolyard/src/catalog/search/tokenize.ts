/** Text and identifiers → the terms that are indexed and searched. */
import { stem } from "./porter.ts"

/** What says nothing about a tool: function words, what people ask with, and the ends of `it's` and `we'll`. */
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further had has have having he her here hers him his how
  i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours out
  over own please same she should so some such than that the their theirs them then there these they this those
  through to too under until up us very was we were what when where which while who whom why will with would you your
  yours like let tell give help use used using etc via s t d m ll re ve don doesn didn isn won`.split(/\s+/),
)

const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]/v
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]]+/gv
/** Where camelCase divides a word: `get|User`, `HTTP|Server`; digits stay with the letters before them (`s3`). */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORD = /[A-Za-z0-9]+/g
/** Longer words are keys and hashes; stemming them would only cost time. */
const LONGEST = 64

/** The words of a text as they stand in it, case kept; `_`, `-` and all punctuation divide. */
export function toWords(text: string): string[] {
  // Nearly all text is ASCII, and the plain pattern takes it several times faster.
  return (ASCII.test(text) ? text.match(ASCII_WORD) : text.normalize("NFKC").match(WORD)) ?? []
}

/** The terms of one word: none for a stop word, several for camelCase, bigrams for Chinese, Japanese and Korean. */
export function toTerms(word: string): string[] {
  if (word.length > LONGEST) return []
  if (CJK.test(word)) return toBigrams(word)
  const terms: string[] = []
  for (const part of word.split(HUMP)) {
    const term = part.toLowerCase()
    if (!STOP_WORDS.has(term)) terms.push(toStem(term))
  }
  return terms
}

/** The whole of a word that `toTerms` divides in two: `GitHub` must be found as `github`, too. */
export function toJoined(word: string): string | undefined {
  return word.length <= LONGEST && word.split(HUMP).length === 2 ? toStem(word.toLowerCase()) : undefined
}

/** A name without what its spelling adds: `createIssue`, `create_issue` and `Create issue` are one. */
export function toPlainName(name: string): string {
  return toWords(name)
    .map(word => word.split(HUMP).join(" ").toLowerCase())
    .join(" ")
}

export function toStem(term: string): string {
  return /^[a-z]+$/.test(term) ? stem(term) : term
}

function toBigrams(run: string): string[] {
  const characters = [...run]
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}
