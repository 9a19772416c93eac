/** Takes one sample: the same loop for contestants asked over HTTP and for those measured inside their own process. */
import { COLUMNS, type Column, type Dialect } from "./columns.ts"
import type { Job, Runner, Sample } from "./contestant.ts"

export interface Subject {
  dialect: Dialect
  openRunners(count: number): Promise<Runner[]>
  /** True to make every script a new one, so that nothing is remembered of it. */
  isFresh?: boolean
}

export async function takeSample(subject: Subject, job: Job): Promise<Sample> {
  const column = COLUMNS.find(({ id }) => id === job.column)
  if (!column) throw new Error(`There is no column ${job.column}`)
  const runners = await subject.openRunners(column.width)
  const script = column.write(subject.dialect)
  const nextScript = subject.isFresh ? () => `const nonce = ${Math.random()}\n${script}` : () => script
  try {
    const runOnce = async (runner: Runner): Promise<void> => check(column, await runner.run(nextScript()))
    return column.pace === "stream" ? await stream(runners, runOnce, job) : await together(runners, runOnce, job)
  } finally {
    for (const runner of runners) runner.close()
  }
}

function check(column: Column, value: unknown): void {
  if (column.isRight(value)) return
  throw new Error(`${column.title} gave a wrong value: ${JSON.stringify(value)?.slice(0, 300)}`)
}

async function together(runners: Runner[], runOnce: (runner: Runner) => Promise<void>, job: Job): Promise<Sample> {
  const times: number[] = []
  const begin = performance.now()
  const spent = (): number => performance.now() - begin
  do {
    const from = performance.now()
    await Promise.all(runners.map(runOnce))
    times.push(performance.now() - from)
  } while (spent() < job.ms || (times.length < job.least && spent() < 5 * job.ms))
  return { times, runs: times.length * runners.length, ms: spent() }
}

async function stream(runners: Runner[], runOnce: (runner: Runner) => Promise<void>, job: Job): Promise<Sample> {
  const times: number[] = []
  const begin = performance.now()
  await Promise.all(
    runners.map(async runner => {
      do {
        const from = performance.now()
        await runOnce(runner)
        times.push(performance.now() - from)
      } while (performance.now() - begin < job.ms)
    }),
  )
  return { times, runs: times.length, ms: performance.now() - begin }
}
