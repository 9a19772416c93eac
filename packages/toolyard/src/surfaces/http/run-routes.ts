/** `/api/runs` and `/api/approvals`: scripts that run, and what a person has to decide in them. */
import type { Context, Hono } from "hono"
import { streamSSE } from "hono/streaming"
import * as z from "zod"
import type { CodeMode, ExecuteOptions } from "../../code/code-mode.ts"
import type { ApiDecision, ApiResume, ApiRun } from "../../model/api.ts"
import type { Call } from "../../model/call.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import type { RunReport } from "../../model/run.ts"
import { callOf, defineBody, FIELD, limitBody, readBody, whileConnected, wholeNumber } from "./request.ts"

const BACKGROUND = { error: "must be true, false or a whole number of milliseconds" }
const RUN = defineBody({
  code: FIELD.text,
  script: FIELD.text,
  input: z.unknown().exactOptional(),
  readOnly: FIELD.readOnly,
  timeoutMs: FIELD.timeoutMs,
  background: z.union([z.boolean(), z.int().min(0, BACKGROUND)], BACKGROUND).exactOptional(),
  check: FIELD.flag,
  saveAs: FIELD.text,
  waitMs: FIELD.ms,
  client: FIELD.text,
}) satisfies z.ZodType<ApiRun>
const RUN_EXAMPLE = '{ "code": "return await tools.SERVER.TOOL({ })" } or { "script": "NAME" }'

const RESUME = defineBody({
  decision: FIELD.decision.exactOptional(),
  reason: FIELD.text,
  cancel: FIELD.flag,
  waitMs: FIELD.ms,
  client: FIELD.text,
}) satisfies z.ZodType<ApiResume>
const RESUME_EXAMPLE = '{ "decision"?: "approve", "cancel"?: true, "waitMs"?: 1000 }'

const DECISION = defineBody({
  decision: FIELD.decision,
  reason: FIELD.text,
  by: FIELD.text,
}) satisfies z.ZodType<ApiDecision>
const DECISION_EXAMPLE = '{ "decision": "approve" }'

const KEEP_ALIVE_MS = 15_000

export function addRunRoutes(app: Hono, code: CodeMode): void {
  app.post("/api/runs", limitBody, async context => {
    const { waitMs, client, ...request } = await readBody(context, RUN, RUN_EXAMPLE)
    if ((request.code === undefined) === (request.script === undefined))
      throw new YardError("invalid_params", "exactly one of `code` and `script` must be there", { hint: RUN_EXAMPLE })
    const call = callOf({
      ...(client !== undefined && { client }),
      ...(request.readOnly !== undefined && { readOnly: request.readOnly }),
    })
    const wait = waitMs === undefined ? {} : { waitMs }
    // Whoever wants it in the background does not mean to stay.
    const stays = request.background !== true
    return answer(context, call, stays, watch => code.execute(request, call, { ...wait, ...watch }))
  })
  app.get("/api/runs", async context => {
    const { limit, before } = context.req.query()
    const page = { limit: wholeNumber("limit", limit, 50, 1, 1000), ...(before !== undefined && { before }) }
    return context.json({ runs: await code.runs(page) })
  })
  app.get("/api/runs/:id", async context => context.json(await code.run(context.req.param("id"))))
  app.post("/api/runs/:id/resume", limitBody, async context => {
    const { client, ...options } = await readBody(context, RESUME, RESUME_EXAMPLE)
    const call = callOf(client === undefined ? {} : { client })
    return answer(context, call, true, watch => code.resume(context.req.param("id"), call, { ...options, ...watch }))
  })
  app.post("/api/runs/:id/replay", async context => {
    const call = callOf()
    return context.json(await whileConnected(context, call, () => code.replay(context.req.param("id"), call)))
  })

  app.get("/api/approvals", async context => context.json({ approvals: await code.approvals() }))
  app.post("/api/approvals/:id", limitBody, async context => {
    const { decision, reason, by = "somebody at /api" } = await readBody(context, DECISION, DECISION_EXAMPLE)
    const who = { by, ...(reason !== undefined && { reason }) }
    return context.json({ approvals: await code.decide(context.req.param("id"), decision, who) })
  })
}

type Work = (watch: Pick<ExecuteOptions, "watch">) => Promise<RunReport>

/** The report as JSON, or, for who asks for an event stream, what happens meanwhile and then the report. */
async function answer(context: Context, call: Call, stays: boolean, work: Work): Promise<Response> {
  const followed = (watch: Pick<ExecuteOptions, "watch">): Promise<RunReport> =>
    stays ? whileConnected(context, call, () => work(watch)) : work(watch)
  if (!context.req.header("accept")?.includes("text/event-stream")) return context.json(await followed({}))
  return streamSSE(context, async stream => {
    let written: Promise<unknown> = Promise.resolve()
    // One after the other, so that nothing overtakes what came before it.
    const send = (event: string, data: unknown): void => {
      written = written.then(() => stream.writeSSE({ event, data: JSON.stringify(data) }))
    }
    const beat = setInterval(() => void stream.write(": keep-alive\n\n"), KEEP_ALIVE_MS)
    try {
      send("report", await followed({ watch: event => send(event.type, event) }))
    } catch (error) {
      send("error", { error: toYardError(error).toJSON() })
    } finally {
      clearInterval(beat)
      await written
    }
  })
}
