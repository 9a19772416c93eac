/** `toolyard run FILE` */
import { YardError } from "../../../model/errors.ts"
import type { RunReport, RunRequest } from "../../../model/run.ts"
import { withClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { followRun, terminalPrompt } from "../follow-run.ts"
import { unlessAborted } from "../interrupt.ts"
import { printReport } from "../run-report.ts"
import { readSource, type SourceOptions } from "../run-source.ts"

export interface RunOptions extends SourceOptions {
  readOnly?: boolean
  timeout?: number
  check: boolean
  background?: boolean
  quiet?: boolean
  config?: string
  json?: boolean
}

export async function run(context: Context, options: RunOptions, file: string | undefined): Promise<number> {
  const { io, signal } = context
  const { name, ...source } = await unlessAborted(readSource(io, options, file), signal)
  const request: RunRequest = {
    ...source,
    ...(options.readOnly && { readOnly: true }),
    ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
    ...(!options.check && { check: false }),
    ...(options.background && { background: true }),
  }
  const report = await withClient(context, { ...options, endsItself: true }, async (client): Promise<RunReport> => {
    if (options.background && !client.hub)
      throw new YardError("usage", "nothing goes on in the background when no hub is running", {
        hint: "Start one with `toolyard serve`, or leave --background out.",
      })
    client.code.warm()
    await client.settle()
    if (options.background) return client.code.execute(request, { signal })
    const prompt = options.json ? undefined : terminalPrompt(io)
    return followRun({ io, code: client.code, signal, shows: !options.json, ...(prompt && { prompt }) }, request)
  })
  if (options.background && !options.json) {
    io.out(report.runId)
    return 0
  }
  return printReport(io, report, {
    json: options.json === true,
    quiet: options.quiet === true,
    ...(name !== undefined && { name }),
  })
}
