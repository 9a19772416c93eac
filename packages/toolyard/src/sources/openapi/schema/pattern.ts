/** Regular expressions of descriptions come from many languages; JSON Schema's are JavaScript's, in Unicode mode. */

const MAX_LENGTH = 200

/** One that compiles, and means the same; nothing where that can't be had. */
export function repairPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== "string" || pattern.length > MAX_LENGTH) return undefined
  if (compiles(pattern)) return pattern
  const repaired = pattern
    // `/…/` as a literal
    .replace(/^\/(.*)\/[a-z]*$/s, "$1")
    // Java, Ruby and Python
    .replace(/\\A/g, "^")
    .replace(/\\[zZ]/g, "$")
    .replace(/\(\?P</g, "(?<")
    .replace(/\[:alnum:\]/g, "A-Za-z0-9")
    .replace(/\[:alpha:\]/g, "A-Za-z")
    .replace(/\[:digit:\]/g, "0-9")
    .replace(/\[:space:\]/g, "\\s")
    // Escapes that mean the character itself, which Unicode mode knows for syntax characters only; `-` within classes.
    .replace(/\\(.)/gsu, (whole, char: string) => (/[\^$\\.*+?()[\]{}|/\w-]/.test(char) ? whole : char))
  if (compiles(repaired)) return repaired
  const dashes = repaired.replace(/\\-/g, (dash, at: number) => (inClass(repaired, at) ? dash : "-"))
  if (compiles(dashes)) return dashes
  const letters = dashes.replace(/\\([_a-zA-Z])/g, (whole, char: string) =>
    /[dDsSwWbBnrtvfpPukc]/.test(char) ? whole : char,
  )
  return compiles(letters) ? letters : undefined
}

function inClass(pattern: string, at: number): boolean {
  let open = false
  for (let i = 0; i < at; i++) {
    const char = pattern[i]
    if (char === "\\") i++
    else if (char === "[") open = true
    else if (char === "]") open = false
  }
  return open
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "u")
    return true
  } catch {
    return false
  }
}
