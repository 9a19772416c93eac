/** How many tokens a text costs a model: an estimate in one pass, since counting exactly takes a vocabulary of megabytes. */

const NONE = -1
const PUNCTUATION = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const SPACE = 4
const NEWLINE = 5
const LETTER = 6
const SIGN = 7

const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[a-z]/.test(char)) return LOWER
  if (/[A-Z]/.test(char)) return UPPER
  if (/\d/.test(char)) return DIGIT
  if (/[\r\n]/.test(char)) return NEWLINE
  return /\s/.test(char) ? SPACE : PUNCTUATION
})

// Fitted by least squares to o200k over tool definitions, documentation and source code; tokens.test.ts holds them to it.
const WORD = 0.94
const LONG_WORD = 6
const MORE_LETTERS = 0.1
const DIGITS = 1.24
const SIGNS = 0.88
const MORE_SIGNS = 0.1
const LINE = 1.04
const GAP = 1.2
// Scripts with an alphabet have about three letters to the token; CJK, emoji and typographic signs about one.
const LETTER_BEYOND_ASCII = 0.3
const SIGN_BEYOND_ASCII = 0.8
const FIRST_SIGN = 0x2000

/** Within 15 % of o200k for JSON, prose and code of more than a few lines. */
export function estimateTokens(text: string): number {
  const { length } = text
  let tokens = 0
  let start = 0
  let kind = NONE
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    const next = code < 128 ? CLASSES[code]! : code < FIRST_SIGN ? LETTER : SIGN
    if (next === kind) continue
    if (kind === UPPER && next === LOWER && i - start === 1) {
      // `Word` is one, as `word` and `WORD` are; `wordTwo` is two.
      kind = LOWER
    } else if (kind === SPACE && next === NEWLINE) {
      kind = NEWLINE
    } else if (kind !== NEWLINE || next !== SPACE) {
      tokens += tokensOf(kind, i - start)
      kind = next
      start = i
    }
  }
  return Math.ceil(tokens + tokensOf(kind, length - start))
}

/** Of a run of characters of one kind. */
function tokensOf(kind: number, size: number): number {
  switch (kind) {
    case LOWER:
      return size > LONG_WORD ? WORD + (size - LONG_WORD) * MORE_LETTERS : WORD
    case UPPER:
      return WORD + (size - 1 + Math.max(0, size - LONG_WORD)) * MORE_LETTERS
    case DIGIT:
      return DIGITS * Math.ceil(size / 3)
    case SPACE:
      // A single one belongs to the word after it.
      return size > 1 ? GAP : 0
    case NEWLINE:
      return LINE
    case PUNCTUATION:
      return SIGNS + MORE_SIGNS * (size - 1)
    case LETTER:
      return LETTER_BEYOND_ASCII * size
    case SIGN:
      return SIGN_BEYOND_ASCII * size
    default:
      return 0
  }
}
