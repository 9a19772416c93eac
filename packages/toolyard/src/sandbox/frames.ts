/**
 * What goes over the pipe between the hub and a sandbox process: a length, a kind, a run, an id, and bytes. Most frames
 * carry JSON text that neither side reads on the way.
 */

/** length (of what follows it), kind, run, id */
const HEADER_BYTES = 4 + 1 + 4 + 4

export const FRAME = {
  // to the process
  start: 1,
  restore: 2,
  answer: 3,
  failure: 4,
  stop: 5,
  snapshot: 6,
  names: 7,
  ping: 8,
  // from the process
  ready: 32,
  call: 33,
  log: 34,
  value: 35,
  error: 36,
  stopped: 37,
  snapshotted: 38,
  busy: 39,
  pong: 40,
  bounced: 41,
} as const

export type FrameKind = (typeof FRAME)[keyof typeof FRAME]

export interface Frame {
  kind: number
  run: number
  id: number
  body: Buffer
}

const EMPTY = Buffer.alloc(0)

export function encodeFrame(kind: FrameKind, run: number, id: number, body: Uint8Array | string = EMPTY): Buffer {
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes)
  frame.writeUInt32LE(HEADER_BYTES - 4 + bytes, 0)
  frame.writeUInt8(kind, 4)
  frame.writeUInt32LE(run, 5)
  frame.writeUInt32LE(id, 9)
  if (typeof body === "string") frame.write(body, HEADER_BYTES)
  else frame.set(body, HEADER_BYTES)
  return frame
}

/** Puts frames together from whatever pieces arrive. */
export class FrameReader {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Throws on a frame that is larger than any can be: the other side is broken. */
  push(piece: Buffer, onFrame: (frame: Frame) => void): void {
    this.#pieces.push(piece)
    this.#size += piece.length
    // A frame's bytes are put together once, when all of them are there.
    while (this.#size >= 4) {
      const first = this.#pieces[0] as Buffer
      const start = first.length >= 4 ? first : this.#join()
      const length = start.readUInt32LE(0)
      if (length > this.#maxBytes || length < HEADER_BYTES - 4) throw new RangeError(`a frame of ${length} bytes`)
      if (this.#size < 4 + length) return
      const whole = start.length >= 4 + length ? start : this.#join()
      const frame = whole.subarray(0, 4 + length)
      const rest = whole.subarray(4 + length)
      if (rest.length > 0) this.#pieces[0] = rest
      else this.#pieces.shift()
      this.#size -= 4 + length
      onFrame({
        kind: frame.readUInt8(4),
        run: frame.readUInt32LE(5),
        id: frame.readUInt32LE(9),
        body: frame.subarray(HEADER_BYTES),
      })
    }
  }

  #join(): Buffer {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }
}
