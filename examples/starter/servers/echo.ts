/** Gives back what it is given: for trying a client out. */
import type { ToolContext } from "toolyard"

/**
 * Gives a text back.
 * @param text - What to give back.
 * @readOnly
 */
export function echo(text: string): string {
  return text
}

/**
 * Gives a text back in capitals.
 * @param text - What to give back.
 * @readOnly
 */
export function shout(text: string): string {
  return `${text.toUpperCase()}!`
}

/**
 * Gives a text back word by word, each of them after a while.
 * @param text - What to give back.
 * @param pauseMs - How long to wait before each word. {@minimum 0} {@maximum 10000}
 * @readOnly
 */
export async function* slowly(text: string, pauseMs = 200, { signal }: ToolContext): AsyncGenerator<string> {
  for (const word of text.split(/(?<=\s)/)) {
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    signal.throwIfAborted()
    yield word
  }
}
