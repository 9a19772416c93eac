/**
 * Long pages, shortened: the beginning, the end and the code in between stay, for they hold what calls are made from.
 * What was left out is said in the page itself and in a sentence.
 */
import type { DocumentPage } from "../model.ts"

export const MAX_PAGE_CHARS = 100_000
export const MAX_CHARS = 200_000

/** For the notes of what was left out. */
const NOTES = 400
const HEAD = 0.35
const TAIL = 0.15

interface Segment {
  start: number
  end: number
  isCode: boolean
}

export interface UncutPage {
  url: string
  title?: string | undefined
  markdown: string
}

/** All pages within the limits; the short ones whole, the long ones with what is left in equal parts. */
export function cutPages(pages: readonly UncutPage[], perPage = MAX_PAGE_CHARS, inAll = MAX_CHARS): DocumentPage[] {
  const wanted = pages.map(page => Math.min(page.markdown.length, perPage))
  const limit = fairShare(wanted, inAll)
  return pages.map(({ url, title, markdown }) => {
    const { text, cut } = cutText(markdown, Math.min(perPage, limit))
    return { url, ...(title && { title }), markdown: text, ...(cut && { cut }) }
  })
}

export function cutText(text: string, limit: number): { text: string; cut?: string } {
  if (text.length <= limit) return { text }
  const segments = toSegments(text)
  const room = Math.max(0, limit - NOTES)
  const tailStart = tailOf(text, segments, text.length - Math.floor(room * TAIL))
  const codeAfter = (from: number) =>
    segments.filter(({ isCode, start, end }) => isCode && start >= from && end <= tailStart)
  let headEnd = headOf(text, segments, Math.floor(room * HEAD))
  const codeRoom = room - headEnd - (text.length - tailStart)
  const unused = codeRoom - sizeOf(codeAfter(headEnd))
  if (unused > 0) headEnd = headOf(text, segments, headEnd + unused)
  const blocks = codeAfter(headEnd)
  const kept = fitting(blocks, room - headEnd - (text.length - tailStart))
  const left = text.length - headEnd - (text.length - tailStart) - sizeOf(kept) + 2 * kept.length
  const cut =
    `${left} of ${text.length} characters were left out of the middle` +
    (kept.length < blocks.length
      ? `, ${blocks.length - kept.length} of its ${blocks.length} code blocks among them`
      : "")
  const middle = kept.map(({ start, end }) => text.slice(start, end).trimEnd())
  const parts = [text.slice(0, headEnd).trimEnd(), `[… ${cut}; its code follows …]`, ...middle, "[… the end follows …]"]
  return { text: `${parts.join("\n\n")}\n\n${text.slice(tailStart)}`.toWellFormed(), cut }
}

/** As much for each as makes the sum fit. */
function fairShare(wanted: readonly number[], inAll: number): number {
  let left = inAll
  const sorted = wanted.toSorted((a, b) => a - b)
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

function fitting(blocks: readonly Segment[], room: number): Segment[] {
  let left = room
  return blocks.filter(block => {
    const size = sizeOf([block])
    if (size > left) return false
    left -= size
    return true
  })
}

/** With the blank lines between. */
function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { start, end }) => sum + end - start + 2, 0)
}

/** The end of the beginning: of a line, and not within a code block if that can be helped. */
function headOf(text: string, segments: readonly Segment[], size: number): number {
  const split = segments.find(({ isCode, start, end }) => isCode && start < size && end > size)
  return split && split.start > size / 2 ? split.start : lineEndBefore(text, size)
}

/** The beginning of the end: after the code block that it would tear apart. */
function tailOf(text: string, segments: readonly Segment[], at: number): number {
  const start = lineEndBefore(text, at)
  const split = segments.find(segment => segment.isCode && segment.start < start && segment.end > start)
  return split && split.end < text.length ? split.end : start
}

function lineEndBefore(text: string, at: number): number {
  const end = text.lastIndexOf("\n", at) + 1
  // A line of that length has no better place.
  return at - end > 2000 ? at : end
}

/** Fenced and indented code, and paragraphs that are JSON or YAML; prose between. */
function toSegments(text: string): Segment[] {
  const segments: Segment[] = []
  let fence: string | undefined
  let start = 0
  let current: boolean | undefined
  const close = (end: number) => {
    if (current !== undefined && end > start) segments.push({ start, end, isCode: current })
    start = end
    current = undefined
  }
  for (const { 0: line, index } of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const mark = line.match(/^[ \t>]*(`{3,}|~{3,})/)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim().endsWith(mark)) {
        fence = undefined
        close(index + line.length)
      }
    } else if (mark) {
      close(index)
      fence = mark
      current = true
    } else if (line.trim() === "") close(index + line.length)
    else current ??= isData(line)
  }
  close(text.length)
  return segments
}

function isData(firstLine: string): boolean {
  return /^(?: {4}|\t)\S|^\s*[{[]\s*(?:$|["{[])|^---\s*$|^[\w$-]+:\s*(?:$|[|>&{["'])/.test(firstLine)
}
