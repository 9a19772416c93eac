/** "Did you mean …": the known word nearest to what was written. */

const LONGEST = 80

export function nearest(written: string, known: Iterable<string>): string | undefined {
  if (written.length < 2 || written.length > LONGEST) return undefined
  const lower = written.toLowerCase()
  let best: { word: string; score: number } | undefined
  for (const word of known) {
    const other = word.toLowerCase()
    const allowed = Math.max(1, Math.floor(other.length / 3))
    // `servers` for `mcpServers`: far by edits, near to a reader.
    const contained = lower.length > 4 && other.endsWith(lower)
    if (!contained && Math.abs(other.length - lower.length) > allowed) continue
    const score = contained ? 1 : distance(lower, other)
    if (score <= allowed && (!best || score < best.score)) best = { word, score }
  }
  return best?.word
}

function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, change))
    }
    previous = row
  }
  return previous[b.length]!
}
