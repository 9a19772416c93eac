/** What is wrong with a script, where, and what its author can do about it. */

export interface Diagnostic {
  /** Of the script as it was written, counting from 1. */
  line: number
  column: number
  message: string
  /** What to write instead. */
  hint?: string
  /** `TS2339` for what the compiler found; `syntax`, `import` or `absent` for what was found before it. */
  code: string
}

const SHOWN = 10
const LONGEST_LINE = 160

/** For a reader who has the script before them: place and message, the line with a caret, and the hint. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], code: string): string {
  const lines = code.split(/\r\n|[\n\r]/)
  const blocks = diagnostics.slice(0, SHOWN).map(diagnostic => format(diagnostic, lines[diagnostic.line - 1]))
  if (diagnostics.length > SHOWN) blocks.push(`and ${diagnostics.length - SHOWN} more`)
  return blocks.join("\n")
}

function format({ line, column, message, hint }: Diagnostic, source: string | undefined): string {
  const head = `${line}:${column} ${message}`
  return [head, ...(source?.trim() ? pointAt(source, column) : []), ...(hint ? [`  hint: ${hint}`] : [])].join("\n")
}

/** The source line and a caret under the column; of a long line, the part around it. */
function pointAt(source: string, column: number): string[] {
  const from = column > LONGEST_LINE ? column - LONGEST_LINE / 2 : 0
  const part = source.slice(from, from + LONGEST_LINE).trimEnd()
  // Tabs stay tabs, so that the caret stands where the reader sees the column.
  const before = part.slice(0, column - 1 - from).replace(/[^\t]/g, " ")
  return [`  ${part}`, `  ${before}^`]
}
