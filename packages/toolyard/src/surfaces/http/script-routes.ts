/** `/api/scripts`: scripts that are kept under a name. */
import type { Hono } from "hono"
import type * as z from "zod"
import type { CodeMode } from "../../code/code-mode.ts"
import type { ApiScript } from "../../model/api.ts"
import { YardError } from "../../model/errors.ts"
import { defineBody, FIELD, limitBody, readBody } from "./request.ts"

const SCRIPT = defineBody({
  code: FIELD.text,
  runId: FIELD.text,
  description: FIELD.text,
}) satisfies z.ZodType<ApiScript>
const EXAMPLE = '{ "code": "…" } or { "runId": "…" }, with "description" if there is something to say'

export function addScriptRoutes(app: Hono, code: CodeMode): void {
  app.get("/api/scripts", async context => context.json({ scripts: await code.scripts() }))
  app.get("/api/scripts/:name", async context => context.json({ script: await code.script(context.req.param("name")) }))
  app.put("/api/scripts/:name", limitBody, async context => {
    const { description, ...given } = await readBody(context, SCRIPT, EXAMPLE)
    const script = await code.saveScript(context.req.param("name"), toSource(given), description)
    return context.json({ script })
  })
  app.delete("/api/scripts/:name", async context => {
    const name = context.req.param("name")
    await code.removeScript(name)
    return context.json({ name })
  })
}

function toSource({ code, runId }: Pick<ApiScript, "code" | "runId">): { code: string } | { runId: string } {
  if (code !== undefined && runId === undefined) return { code }
  if (runId !== undefined && code === undefined) return { runId }
  throw new YardError("invalid_params", "exactly one of `code` and `runId` must be there", { hint: EXAMPLE })
}
