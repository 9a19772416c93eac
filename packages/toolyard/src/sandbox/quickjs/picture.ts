/** A picture of a memory: what is in it, and where there is nothing. To empty is half the work of to copy. */

export interface Picture {
  readonly bytes: number
  /** Makes the memory what it was. */
  putBack(memory: Uint8Array): void
}

const PAGE = 16 * 1024

export function takePicture(memory: Uint8Array): Picture {
  const parts: { start: number; end: number; content: Uint8Array | undefined }[] = []
  for (let start = 0; start < memory.byteLength; start += PAGE) {
    const end = Math.min(start + PAGE, memory.byteLength)
    const isEmpty = memory.subarray(start, end).every(byte => byte === 0)
    const last = parts.at(-1)
    if (last && (last.content === undefined) === isEmpty) last.end = end
    else parts.push({ start, end, content: isEmpty ? undefined : EMPTY })
  }
  for (const part of parts) if (part.content) part.content = memory.slice(part.start, part.end)
  return {
    bytes: memory.byteLength,
    putBack(target) {
      for (const { start, end, content } of parts) {
        if (content) target.set(content, start)
        else target.fill(0, start, end)
      }
    },
  }
}

const EMPTY = new Uint8Array()
