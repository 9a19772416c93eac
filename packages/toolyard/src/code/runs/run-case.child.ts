/**
 * The other process in the tests of runs: `node run-case.child.ts FOLDER [REQUEST]`. Takes up what is there, executes
 * the request, prints the report, and stays until it is killed or its input ends.
 */
import { writeSync } from "node:fs"
import type { RunRequest } from "../../model/run.ts"
import { openRunCase } from "./run-case.ts"

const [folder, request] = process.argv.slice(2)
const opened = await openRunCase(folder as string)
await opened.code.revive()
// Synchronous, so that what was printed before a SIGKILL has reached the reader.
const say = (line: unknown): void => void writeSync(1, `${JSON.stringify(line)}\n`)
if (request === undefined) say("ready")
else {
  const done = opened.code.execute(JSON.parse(request) as RunRequest, opened.call())
  void done.then(say, (error: unknown) => say({ error: String(error) }))
}
process.stdin.resume().once("end", () => void opened.close())
