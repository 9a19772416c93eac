/** Changes to a text, collected in any order and made at once. */

export interface Edit {
  start: number
  end: number
  text: string
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ""
  let from = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return result + text.slice(from)
}

/** Takes a part out, but leaves every line where it is. */
export const blank = (text: string, start: number, end: number): Edit => ({
  start,
  end,
  text: text.slice(start, end).replace(/[^\n\r]/g, " "),
})
