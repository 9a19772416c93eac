/** Globs as people write them for tool names: `*` any run of characters, `?` one character, all else itself. */
export function matchesGlob(glob: string, text: string): boolean {
  // Walks both with one point to come back to, so that no pattern is ever slow.
  let g = 0
  let t = 0
  let star = -1
  let mark = 0
  while (t < text.length) {
    if (glob[g] === "*") {
      star = g++
      mark = t
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) {
      g++
      t++
    } else if (star !== -1) {
      g = star + 1
      t = ++mark
    } else {
      return false
    }
  }
  while (glob[g] === "*") g++
  return g === glob.length
}
