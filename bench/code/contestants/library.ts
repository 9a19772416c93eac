/** Contestants that are libraries, each in a process of its own that measures itself. */
import { createInterface } from "node:readline"
import type { Running, Sample, StartContext } from "../contestant.ts"
import { LIBRARY_HOST } from "../paths.ts"

export async function startLibrary(runner: string, { processes, folder }: StartContext): Promise<Running> {
  const { child, died } = processes.start([LIBRARY_HOST, runner, folder], { cwd: folder, ownStdout: true })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await Promise.race([lines.next(), died])
    // Its last words come with the rejection of `died`.
    return done ? died : value
  }
  await nextLine()
  return {
    async measure(job) {
      child.stdin?.write(`${JSON.stringify(job)}\n`)
      const answer = JSON.parse(await nextLine()) as Sample | { error: string }
      if ("error" in answer) throw new Error(answer.error)
      return answer
    },
  }
}
