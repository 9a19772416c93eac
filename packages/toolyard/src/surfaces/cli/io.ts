/** The terminal as the commands see it: where to write, and whether a person is looking. */
import { type Paint, paintFor } from "./paint.ts"

export interface Io {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  /** Whether stdout, or stderr, is a terminal. */
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** The width of the terminal; none where there is no terminal to be filled. */
  readonly width: number | undefined
  readonly paint: Paint
  readonly paintErr: Paint
  /** A line on stdout: results. */
  out(line: string): void
  /** On stdout as they are. */
  bytes(bytes: Uint8Array): void
  /** A line on stderr: everything that is not the result. */
  err(line: string): void
  /** One changing line on a terminal's stderr; nothing elsewhere. An empty text wipes it. */
  progress(text: string): void
}

export function createIo(from: NodeJS.Process): Io {
  const { env, stdout, stderr } = from
  const errIsTerminal = stderr.isTTY === true
  let shown = false
  const wipe = (): void => {
    if (shown) stderr.write("\r\x1b[K")
    shown = false
  }
  return {
    env,
    cwd: from.cwd(),
    stdin: from.stdin,
    outIsTerminal: stdout.isTTY === true,
    errIsTerminal,
    width: stdout.isTTY ? stdout.columns || 80 : undefined,
    paint: paintFor(env, stdout.isTTY === true),
    paintErr: paintFor(env, errIsTerminal),
    out(line) {
      wipe()
      stdout.write(`${line}\n`)
    },
    bytes(bytes) {
      wipe()
      stdout.write(bytes)
    },
    err(line) {
      wipe()
      stderr.write(`${line}\n`)
    },
    progress(text) {
      if (!errIsTerminal) return
      wipe()
      if (text === "") return
      const room = (stderr.columns || 80) - 1
      stderr.write(text.length > room ? `${text.slice(0, room - 1)}…` : text)
      shown = true
    },
  }
}

export function warn(io: Io, text: string): void {
  io.err(`${io.paintErr.yellow("warning:")} ${text}`)
}
