/** The end of what a process wrote: bounded, cheap under a flood, split into lines only when somebody looks. */

const KEEP_BYTES = 256 * 1024
const KEEP_LINES = 200
const KEEP_LINE_LENGTH = 4096

export interface OutputTail {
  push(chunk: Buffer): void
  lines(): string[]
}

export function createOutputTail(redact: (text: string) => string): OutputTail {
  let chunks: Buffer[] = []
  let size = 0
  return {
    push(chunk) {
      const kept = chunk.length > KEEP_BYTES ? Buffer.from(chunk.subarray(chunk.length - KEEP_BYTES)) : chunk
      chunks.push(kept)
      size += kept.length
      while (size - (chunks[0]?.length ?? 0) >= KEEP_BYTES) size -= chunks.shift()?.length ?? 0
      // Many small writes would otherwise make the list of chunks long.
      if (chunks.length > 1024) chunks = [Buffer.concat(chunks)]
    },
    lines() {
      const text = redact(Buffer.concat(chunks).toString("utf8"))
      const lines = text.split(/\r?\n/)
      if (lines.at(-1) === "") lines.pop()
      return lines
        .slice(-KEEP_LINES)
        .map(line =>
          line.length > KEEP_LINE_LENGTH ? `${line.slice(0, KEEP_LINE_LENGTH)}… (${line.length} characters)` : line,
        )
    },
  }
}

/** Replaces every secret that the configuration gave to the server by the name it goes under. */
export function createRedactor(secrets: Record<string, string>): (text: string) => string {
  const named = Object.entries(secrets)
    .filter(([, value]) => value.length >= 6)
    .sort((a, b) => b[1].length - a[1].length)
  if (named.length === 0) return text => text
  return text => named.reduce((redacted, [name, value]) => redacted.replaceAll(value, `[${name}]`), text)
}
