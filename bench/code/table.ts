/** Text in columns: words to the left, numbers to the right. */
export function toTable(header: string[], rows: string[][]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  const isNumber = header.map((_, column) => rows.every(row => /^[\d.,–×%-]*$/.test(row[column]!)))
  const toLine = (line: string[]): string =>
    line
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd()
  return [toLine(header), widths.map(width => "─".repeat(width)).join("  "), ...rows.map(toLine)].join("\n")
}

/** Three digits that matter. */
export function toDigits(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–"
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
