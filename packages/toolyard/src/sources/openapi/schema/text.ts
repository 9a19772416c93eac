/** Descriptions, cut to what helps someone who fills in arguments. */

/** Markup of long texts says little and costs much: links keep their label, tags and pictures go. */
export function toPlain(markup: string): string {
  // Longer ones are cut anyway, and a hostile one must not keep the expressions busy.
  return markup
    .slice(0, 20_000)
    .replace(/<(?:!--|\/?[A-Za-z])[^<>]{0,500}>/g, " ")
    .replace(/!\[[^[\]]{0,200}\]\([^()]{0,500}\)/g, "")
    .replace(/\[([^[\]]{1,200})\]\([^()]{0,500}\)/g, "$1")
    .replace(/(\*\*|__)(?=\S)([^*_\n]{1,200})\1/g, "$2")
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? " ")
    .replace(/^#{1,6} +/gm, "")
    .replace(/^> ?(?:\[![A-Z]+\])?/gm, "")
    .replace(FURTHER_READING, "")
    .replace(/[ \t]+/g, " ")
    .trim()
}

/** Whoever fills in arguments can't look there. */
const FURTHER_READING =
  /(?:For (?:more|further|additional) (?:information|details|info)|More info(?:rmation)?|Learn more|Read more|See also|See the documentation)\b[^.\n]{0,200}(?:\.["”]?(?=\s|$)|(?=\n|$))/gi

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" }

/** On one line and at most so many characters: whole sentences where at least one fits. */
export function shorten(markup: string, max: number): string {
  if (max <= 0) return ""
  const text = toPlain(markup).replace(/\s+/g, " ")
  if (text.length <= max) return text
  const head = text.slice(0, max)
  const end = Math.max(...[". ", "! ", "? ", ".) "].map(mark => head.lastIndexOf(mark) + mark.trimEnd().length))
  if (end > MIN_SENTENCE && !/\b(?:e\.g|i\.e|etc|vs)\.$/.test(head.slice(0, end))) return head.slice(0, end)
  return `${head.slice(0, Math.max(head.lastIndexOf(" "), max - 30)).replace(/[\s,;:([-]+$/, "")}…`
}

const MIN_SENTENCE = 15

const EMPTY_WORDS = new Set(
  "a an the of for to in this that is are be or and which its it with value parameter field property given".split(" "),
)

/** `The name of the pet.` tells nothing more about `pet_name` than its name does. */
export function saysMoreThan(text: string, name: string): boolean {
  const known = words(name.replace(/([a-z0-9])([A-Z])/g, "$1 $2"))
  return words(text).some(word => !EMPTY_WORDS.has(word) && !known.includes(word) && !known.includes(`${word}s`))
}

function words(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== "")
}
