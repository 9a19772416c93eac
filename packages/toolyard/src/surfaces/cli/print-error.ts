/** The one way an error reaches the user of the command line. */
import { ERRORS, toYardError } from "../../model/errors.ts"
import type { Io } from "./io.ts"
import { harmless } from "./text.ts"

/** Prints it and gives the exit code. */
export function printError(error: unknown, io: Io, json: boolean): number {
  const known = toYardError(error)
  io.progress("")
  if (json) io.err(JSON.stringify({ error: known.toJSON() }))
  else {
    io.err(`${io.paintErr.red("error:")} ${harmless(known.message)}`)
    if (known.hint) io.err(`${io.paintErr.dim("hint:")} ${harmless(known.hint)}`)
  }
  if (io.env.TOOLYARD_DEBUG === "1") {
    const { stack } = known.cause instanceof Error ? known.cause : known
    if (stack) io.err(stack)
  }
  return ERRORS[known.code].exit
}
