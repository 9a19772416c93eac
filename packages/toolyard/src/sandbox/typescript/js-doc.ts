/** The description in a JSDoc comment, given what stands between `/*` and `*\/`: without its stars and its tags. */
export function jsDocText(comment: string): string | undefined {
  const lines = comment.slice(1).split(/\r\n|[\n\r]/)
  const text = lines.map(line => line.replace(/^\s*\*? ?/, "").trimEnd())
  const tag = text.findIndex(line => line.startsWith("@"))
  return (tag === -1 ? text : text.slice(0, tag)).join("\n").trim() || undefined
}
