import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeFrame, FRAME, type Frame, FrameReader } from "./frames.ts"

const kinds = Object.values(FRAME)
const frames = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    run: fc.nat({ max: 0xffffffff }),
    id: fc.nat({ max: 0xffffffff }),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
      fc.string({ unit: "binary", maxLength: 100 }),
    ),
  }),
  { maxLength: 12 },
)

/** The bytes in pieces of these lengths, over and over; the rest in one. */
function split(bytes: Buffer, lengths: number[]): Buffer[] {
  const pieces: Buffer[] = []
  let at = 0
  for (const length of lengths) {
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return [...pieces, bytes.subarray(at)]
}

function readAll(pieces: Buffer[], maxBytes = 1_000_000): Frame[] {
  const found: Frame[] = []
  const reader = new FrameReader(maxBytes)
  for (const piece of pieces) reader.push(piece, frame => found.push({ ...frame, body: Buffer.from(frame.body) }))
  return found
}

describe("frames", () => {
  it("come out as they went in, however the stream is cut", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat({ max: 40 }), { maxLength: 200 }), (sent, lengths) => {
        const bytes = Buffer.concat(sent.map(({ kind, run, id, body }) => encodeFrame(kind, run, id, body)))
        expect(readAll(split(bytes, lengths))).toEqual(
          sent.map(frame => ({ ...frame, body: Buffer.from(frame.body as string) })),
        )
      }),
    )
  })

  it("come out when they arrive byte by byte", () => {
    const bytes = Buffer.concat([encodeFrame(FRAME.start, 1, 2, "é𝒳\0\u2028"), encodeFrame(FRAME.stop, 3, 4)])
    const found = readAll([...bytes].map(byte => Buffer.from([byte])))
    expect(found.map(({ kind, run, id, body }) => [kind, run, id, body.toString()])).toEqual([
      [FRAME.start, 1, 2, "é𝒳\0\u2028"],
      [FRAME.stop, 3, 4, ""],
    ])
  })

  it("stay in order when more arrive while one is being handled", () => {
    const [one, two, three] = [1, 2, 3].map(run => encodeFrame(FRAME.answer, run, 0, "x"))
    const reader = new FrameReader(1000)
    const seen: number[] = []
    const inner = ({ run }: Frame): void => void seen.push(run)
    reader.push(Buffer.concat([one as Buffer, two as Buffer, (three as Buffer).subarray(0, 7)]), ({ run }) => {
      seen.push(run)
      if (run === 1) reader.push((three as Buffer).subarray(7), inner)
    })
    expect(seen).toEqual([1, 2, 3])
  })

  it("that are larger than any can be are refused before they arrive", () => {
    const head = encodeFrame(FRAME.value, 1, 1, Buffer.alloc(2000)).subarray(0, 4)
    expect(() => readAll([head], 1000)).toThrow(RangeError)
    expect(() => readAll([head.subarray(0, 2), head.subarray(2)], 1000)).toThrow(RangeError)
  })

  it("that are too short to be one are refused", () => {
    for (const length of [0, 1, 8]) {
      const head = Buffer.alloc(4)
      head.writeUInt32LE(length)
      expect(() => readAll([head])).toThrow(RangeError)
    }
  })

  it("of random bytes are refused or wait for more, and nothing else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.array(fc.nat({ max: 50 })), (bytes, lengths) => {
        try {
          for (const { body } of readAll(split(Buffer.from(bytes), lengths), 400)) expect(body.length).toBeLessThan(400)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
  })

  it("can't be made with a run or an id that does not fit", () => {
    for (const odd of [-1, 2 ** 32, 1.5e300, Number.POSITIVE_INFINITY])
      expect(() => encodeFrame(FRAME.call, 1, odd)).toThrow(RangeError)
  })
})
