/**
 * Keeps scripts from the parser that could exhaust its stack, which would take the whole process along. How deep a text
 * is nested is known only after parsing it, but every level takes one of these signs or words; there must not be more
 * of them, in all of the text, than the parser can bear if each opens a level.
 */

const NESTING =
  /[([{<?:=!~+\-*/%&|^@.`]|\b(?:as|asserts|async|await|case|class|delete|do|else|extends|for|function|if|in|infer|instanceof|is|keyof|new|of|readonly|return|satisfies|throw|try|typeof|unique|void|while|with|yield)\b/g
/** Measured: types in types end the parser soonest, between 6,000 and 12,000 levels. */
const MOST = 5000

export const TOO_LARGE =
  "The script is too large to be read safely. Pass data as `input` instead of writing it into the script, or make several runs of it."
export const TOO_DEEP = "The script is nested too deeply. Take parts of it out into functions or variables."

export function isTooLarge(code: string): boolean {
  if (code.length <= MOST) return false
  let count = 0
  for (const _ of code.matchAll(NESTING)) if (++count > MOST) return true
  return false
}
