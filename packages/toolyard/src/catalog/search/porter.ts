/** Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980) for lower-case ASCII words. */

type Rule = readonly [suffix: string, replacement: string]

// The longest matching suffix must be tried first, so `ational` stands before `tional`.
const STEP_2: Rule[] = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["ator", "ate"],
  ["eli", "e"],
]
const STEP_3: Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
]
const STEP_4 = "ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou".split(" ")

export function stem(word: string): string {
  if (word.length < 3) return word
  let w = dropPlural(word)
  w = dropPast(w)
  if (w.endsWith("y") && hasVowel(w.slice(0, -1))) w = `${w.slice(0, -1)}i`
  w = replaceSuffix(w, STEP_2)
  w = replaceSuffix(w, STEP_3)
  w = dropSuffix(w)
  return dropFinalE(w)
}

function dropPlural(w: string): string {
  if (w.endsWith("sses") || w.endsWith("ies")) return w.slice(0, -2)
  return w.endsWith("s") && !w.endsWith("ss") ? w.slice(0, -1) : w
}

function dropPast(w: string): string {
  if (w.endsWith("eed")) return measure(w.slice(0, -3)) > 0 ? w.slice(0, -1) : w
  const suffix = w.endsWith("ed") ? "ed" : w.endsWith("ing") ? "ing" : ""
  const base = w.slice(0, w.length - suffix.length)
  if (suffix === "" || !hasVowel(base)) return w
  if (/(at|bl|iz)$/.test(base)) return `${base}e`
  if (endsInDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1)
  return measure(base) === 1 && endsInCvc(base) ? `${base}e` : base
}

function replaceSuffix(w: string, rules: Rule[]): string {
  for (const [suffix, replacement] of rules) {
    if (!w.endsWith(suffix)) continue
    const base = w.slice(0, -suffix.length)
    return measure(base) > 0 ? base + replacement : w
  }
  return w
}

function dropSuffix(w: string): string {
  const suffix = STEP_4.find(candidate => w.endsWith(candidate))
  if (suffix === undefined) return w
  const base = w.slice(0, -suffix.length)
  if (suffix === "ion" && !/[st]$/.test(base)) return w
  return measure(base) > 1 ? base : w
}

function dropFinalE(w: string): string {
  if (w.endsWith("e")) {
    const base = w.slice(0, -1)
    const m = measure(base)
    if (m > 1 || (m === 1 && !endsInCvc(base))) return base
  }
  return w.endsWith("ll") && measure(w) > 1 ? w.slice(0, -1) : w
}

function isVowel(w: string, i: number): boolean {
  const letter = w[i]
  if (letter === "y") return i > 0 && !isVowel(w, i - 1)
  return letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u"
}

/** How many times a vowel is followed by a consonant: Porter's m. */
function measure(w: string): number {
  let m = 0
  let before = false
  for (let i = 0; i < w.length; i++) {
    const vowel = isVowel(w, i)
    if (before && !vowel) m++
    before = vowel
  }
  return m
}

function hasVowel(w: string): boolean {
  for (let i = 0; i < w.length; i++) if (isVowel(w, i)) return true
  return false
}

function endsInDouble(w: string): boolean {
  const last = w.length - 1
  return last > 0 && w[last] === w[last - 1] && !isVowel(w, last)
}

function endsInCvc(w: string): boolean {
  const last = w.length - 1
  return last > 1 && !isVowel(w, last) && isVowel(w, last - 1) && !isVowel(w, last - 2) && !/[wxy]$/.test(w)
}
