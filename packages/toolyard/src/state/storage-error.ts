/** What SQLite and the file system say, as the one error callers know. */
import { YardError } from "../model/errors.ts"

const CORRUPT = 11
const TOO_BIG = 18
const NOT_A_DATABASE = 26

/** SQLite's primary result code, without the details in the upper bits. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === "number" ? code & 0xff : undefined
}

export function isCorruption(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CORRUPT || code === NOT_A_DATABASE
}

export function fileCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === "string" ? code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `what` reads on after "could not": `keep runs/7`. */
export function toStorageError(error: unknown, what: string): YardError {
  if (error instanceof YardError) return error
  const code = sqliteCode(error) === TOO_BIG ? "payload_too_large" : "storage"
  return new YardError(code, `could not ${what}: ${messageOf(error)}`, { cause: error })
}

export function closedError(): YardError {
  return new YardError("storage", "the state is closed", {
    hint: "The hub is shutting down; nothing is kept any more.",
  })
}
