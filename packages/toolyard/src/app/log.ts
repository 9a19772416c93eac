/** The hub's own log: pino on stderr, one JSON object a line, or readable lines on a terminal. */
import type { Logger } from "pino"

export interface Log {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export type LogLevel = "silent" | "error" | "warn" | "info" | "debug"

export const SILENT: Log = { info() {}, warn() {}, error() {} }

export async function createLog(level: LogLevel, terminal = process.stderr.isTTY === true): Promise<Log> {
  if (level === "silent") return SILENT
  const { default: pino } = await import("pino")
  let logger: Logger
  if (terminal) {
    const { default: pretty } = await import("pino-pretty")
    logger = pino(
      { level, base: null },
      pretty({
        destination: 2,
        sync: true,
        colorize: !process.env.NO_COLOR,
        ignore: "pid,hostname",
        translateTime: "HH:MM:ss",
      }),
    )
  } else {
    logger = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }))
  }
  return {
    info: message => logger.info(message),
    warn: message => logger.warn(message),
    error: message => logger.error(message),
  }
}
