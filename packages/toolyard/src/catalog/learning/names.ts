/** Tells the keys that somebody gave to fields from those that are data themselves, and must not be kept. */

const MAX_LENGTH = 40
/** Letters, digits and what joins words. Blanks, dots, slashes and other scripts are found in people's names, files and hosts. */
const NAME = /^[#$@_]{0,2}[A-Za-z][A-Za-z0-9_$@-]*$/
/** As in `PROJ-123`; `image_48` is a field. */
const NUMBERED = /[-@$]\d{2,}(?![A-Za-z])/
const HEXADECIMAL = /^[0-9a-f]{8,}$/i
const MAX_DIGITS = 3
/** `dQw4WgXcQ` changes its kind of letter all the time; words have more letters than that. */
const WORDS = /[A-Z]?[a-z]+|[A-Z]+|\d+/g
const LEAST_LETTERS_PER_WORD = 2.5

export function isName(key: string): boolean {
  if (key.length > MAX_LENGTH || !NAME.test(key) || NUMBERED.test(key) || HEXADECIMAL.test(key)) return false
  const digits = key.replace(/\D/g, "").length
  if (digits > MAX_DIGITS) return false
  const words = key.match(WORDS) ?? []
  return key.length < 8 || key.length / words.length >= LEAST_LETTERS_PER_WORD
}
