/** A text that fits a regular expression, for those that name things: `^AC[0-9a-f]{32}$` and the like. */

/** Undefined where it is more than letters, classes, groups and counts. */
export function textFor(pattern: string): string | undefined {
  try {
    const matcher = new RegExp(pattern, "u")
    const { text, at } = readChoice(pattern, 0)
    return at === pattern.length && matcher.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

interface Read {
  text: string
  at: number
}

const MOST = 200
const CLASSES: Record<string, string> = {
  d: "1",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  b: "",
  n: "\n",
  t: "\t",
  r: "\r",
}

/** The first of the alternatives; the others are passed over. */
function readChoice(pattern: string, from: number): Read {
  let first: string | undefined
  let at = from
  for (;;) {
    const read = readSequence(pattern, at)
    first ??= read.text
    at = read.at
    if (pattern[at] !== "|") return { text: first, at }
    at++
  }
}

function readSequence(pattern: string, from: number): Read {
  let text = ""
  let at = from
  while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
    const atom = readAtom(pattern, at)
    const count = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(pattern.slice(atom.at))
    const [written = "", least] = count ?? []
    const times = least !== undefined ? Number(least) : written === "" || written.startsWith("+") ? 1 : 0
    if (times * atom.text.length > MOST) throw new RangeError("too long")
    text += atom.text.repeat(times)
    at = atom.at + written.length
  }
  return { text, at }
}

function readAtom(pattern: string, at: number): Read {
  const mark = pattern[at] as string
  if (mark === "^" || mark === "$") return { text: "", at: at + 1 }
  if (mark === ".") return { text: "a", at: at + 1 }
  if (mark === "[") return readClass(pattern, at)
  if (mark === "(") {
    const opening = /^\((?:\?:|\?<\w+>)?(?!\?)/.exec(pattern.slice(at))
    if (!opening) throw new SyntaxError("a look ahead")
    const inside = readChoice(pattern, at + opening[0].length)
    return { text: inside.text, at: inside.at + 1 }
  }
  if (mark !== "\\") return { text: mark, at: at + 1 }
  const escaped = pattern[at + 1] as string
  if (/[1-9pPukxc]/.test(escaped)) throw new SyntaxError("an escape")
  return { text: CLASSES[escaped] ?? escaped, at: at + 2 }
}

/** Any character that is in it: found by trying. */
function readClass(pattern: string, from: number): Read {
  const [whole = ""] = /^\[(?:\\.|[^\]\\])*\]/.exec(pattern.slice(from)) ?? []
  const matcher = new RegExp(whole, "u")
  const found = [..."aA1-_. /:@#"].find(one => matcher.test(one)) ?? String.fromCharCode(whole.charCodeAt(1))
  return { text: found, at: from + whole.length }
}
