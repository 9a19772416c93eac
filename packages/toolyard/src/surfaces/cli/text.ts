/** Text from others made fit for a terminal, and rows made into columns. */

const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** Without what could move the cursor, set the title or turn the reading direction: a server's words are not to be trusted. */
export function harmless(text: string): string {
  return text.replace(ESCAPES, "").replace(/\r\n/g, "\n").replace(CONTROLS, "")
}

/** The first line, on one line. */
export function oneLine(text: string): string {
  return (
    harmless(text)
      .split("\n")
      .find(line => line.trim() !== "")
      ?.trim() ?? ""
  )
}

export interface Cell {
  text: string
  /** Given the padded text, so that colour does not disturb the columns. */
  paint?: (text: string) => string
}

/** Columns as wide as their widest cell; the last one is cut at the terminal's edge. */
export function columns(rows: (string | Cell)[][], width: number | undefined): string[] {
  const cells = rows.map(row => row.map(cell => (typeof cell === "string" ? { text: cell } : cell)))
  const widths: number[] = []
  for (const row of cells)
    row.forEach(({ text }, at) => {
      widths[at] = Math.max(widths[at] ?? 0, text.length)
    })
  return cells.map(row => {
    let used = 0
    const line = row.map(({ text, paint = same => same }, at) => {
      const isLast = at === row.length - 1
      const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(10, width - used)
      const fitting = isLast && text.length > room ? `${text.slice(0, room - 1)}…` : text
      used += (widths[at] ?? 0) + 2
      return paint(isLast ? fitting : fitting.padEnd(widths[at] ?? 0))
    })
    return line.join("  ").trimEnd()
  })
}

export function indent(text: string, by = "  "): string {
  return text
    .split("\n")
    .map(line => (line === "" ? line : by + line))
    .join("\n")
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** `2026-01-31 23:59:59`, where the reader is. */
export function localTime(at: number): string {
  const time = new Date(at)
  const two = (value: number): string => String(value).padStart(2, "0")
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
