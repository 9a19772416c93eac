/** The thread in which descriptions are read and converted: one job, one answer. */
import { parentPort, workerData } from "node:worker_threads"
import { toYardError } from "../../model/errors.ts"
import type { GraphQlJob } from "../graphql/convert.ts"
import type { OpenApiJob } from "../openapi/job.ts"

export type ThreadJob = OpenApiJob | GraphQlJob
export type ThreadAnswer = { json: string } | { code: string; message: string; hint: string }

async function work(job: ThreadJob): Promise<unknown> {
  // Each brings libraries of its own.
  if (job.kind === "openapi") return (await import("../openapi/to-tools.ts")).convertOpenApi(job)
  return (await import("../graphql/convert.ts")).convertGraphQl(job)
}

async function answer(job: ThreadJob): Promise<ThreadAnswer> {
  try {
    return { json: JSON.stringify(await work(job)) }
  } catch (error) {
    const { code, message, hint } = toYardError(error)
    return { code, message, hint }
  }
}

if (parentPort) parentPort.postMessage(await answer(workerData as ThreadJob))
