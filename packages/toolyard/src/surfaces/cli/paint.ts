/** Colours, where there is somebody to see them: `NO_COLOR` and `FORCE_COLOR` decide before the terminal does. */

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

export function paintFor(env: NodeJS.ProcessEnv, isTerminal: boolean): Paint {
  const on = wantsColour(env, isTerminal)
  const style =
    (open: number, close: number) =>
    (text: string): string =>
      on && text !== "" ? `\x1b[${open}m${text}\x1b[${close}m` : text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  }
}

function wantsColour({ NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false"
  return isTerminal && TERM !== "dumb"
}
