/**
 * The process of a contestant that is a library: `node library-host.ts FILE FOLDER`. It measures itself, so that no
 * pipe is charged to it: each line of stdin is a job, each line of stdout its sample.
 */
import { createInterface } from "node:readline"
import type { Job } from "./contestant.ts"
import { type Subject, takeSample } from "./sample.ts"

const [name, folder] = process.argv.slice(2) as [string, string]
// Some libraries print a line for each call: stdout is ours, and they are not charged for it.
console.log = console.info = console.debug = () => {}

const { openSubject } = (await import(`./runners/${name}`)) as { openSubject(folder: string): Promise<Subject> }
const subject = await openSubject(folder)
process.stdout.write("ready\n")

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await takeSample(subject, JSON.parse(line) as Job).catch(({ message }: Error) => ({ error: message }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
