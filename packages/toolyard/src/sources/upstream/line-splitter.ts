/** Cuts a byte stream into lines of text without ever holding more than `maxBytes` of one line. */

const ENDS_KEPT = 512

export function lineSplitter(
  maxBytes: number,
  onLine: (line: string) => void,
  onOversized: (head: string, tail: string, bytes: number) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let oversized = false
  let head = ""
  let tail = Buffer.alloc(0)

  const finish = (last: Buffer): void => {
    if (oversized) {
      tail = Buffer.concat([tail, last]).subarray(-ENDS_KEPT)
      const bytes = size + last.length
      const [h, t] = [head, tail.toString("utf8")]
      oversized = false
      size = 0
      onOversized(h, t, bytes)
      return
    }
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts = []
    size = 0
    const end = whole.length > 0 && whole[whole.length - 1] === 13 ? whole.length - 1 : whole.length
    if (end > 0) onLine(whole.toString("utf8", 0, end))
  }

  const keep = (part: Buffer): void => {
    size += part.length
    if (oversized) {
      tail = Buffer.concat([tail, part.subarray(-ENDS_KEPT)]).subarray(-ENDS_KEPT)
      return
    }
    parts.push(part)
    if (size <= maxBytes) return
    oversized = true
    const kept = Buffer.concat(parts)
    head = kept.toString("utf8", 0, ENDS_KEPT)
    tail = Buffer.from(kept.subarray(-ENDS_KEPT))
    parts = []
  }

  return chunk => {
    let start = 0
    for (;;) {
      const newline = chunk.indexOf(10, start)
      if (newline === -1) break
      finish(chunk.subarray(start, newline))
      start = newline + 1
    }
    if (start < chunk.length) keep(chunk.subarray(start))
  }
}
