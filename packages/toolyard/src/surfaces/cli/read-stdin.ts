/** Everything that is piped in. */
import { YardError } from "../../model/errors.ts"
import type { Io } from "./io.ts"

/** `what` is read from there, for who is told that there is nothing. */
export async function readStdin(io: Io, what: string): Promise<string> {
  return (await readStdinBytes(io, what)).toString("utf8")
}

export async function readStdinBytes({ stdin }: Io, what: string): Promise<Buffer> {
  if (stdin.isTTY) throw new YardError("usage", `- reads ${what} from stdin, and nothing is piped into it`)
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks)
}
