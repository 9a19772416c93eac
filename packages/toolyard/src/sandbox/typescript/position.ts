/** From places in the JavaScript that runs back to places in the TypeScript that was written. */

export interface Position {
  /** Both count from 1. */
  line: number
  column: number
}

/** Where `offset` stands in `text`. */
export function positionAt(text: string, offset: number): Position {
  let line = 1
  let start = 0
  for (const { 0: end, index } of text.matchAll(/\r\n|[\n\r]/g)) {
    if (index + end.length > offset) break
    line++
    start = index + end.length
  }
  return { line, column: offset - start + 1 }
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/**
 * The place that a source map (its `mappings`, of one source) gives for a place in the generated text: that of the
 * nearest token before it. Read only when something failed, so nothing is decoded ahead.
 */
export function mapPosition(mappings: string, at: Position): Position | undefined {
  let best: Position | undefined
  let line = 0
  let column = 0
  for (const [index, part] of mappings.split(";").entries()) {
    if (index >= at.line) break
    let generated = 0
    let first = true
    for (const segment of part.split(",")) {
      if (!segment) continue
      const [generatedStep = 0, , lineStep, columnStep] = decode(segment)
      generated += generatedStep
      if (lineStep === undefined || columnStep === undefined) continue
      line += lineStep
      column += columnStep
      // The first token of the line stands for what is before it, too.
      if (first || generated < at.column || index + 1 < at.line) best = { line: line + 1, column: column + 1 }
      first = false
    }
  }
  return best
}

/** Variable-length base64 numbers, the lowest bit of each being its sign. */
function decode(segment: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const letter of segment) {
    const digit = BASE64.indexOf(letter)
    value |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1)
    value = 0
    shift = 0
  }
  return numbers
}
