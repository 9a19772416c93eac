/** For programs outside the sandbox: the typed client at `/runtime`, and one tool at `/tools/{id}`. */
import type { Context, Hono } from "hono"
import { etag } from "hono/etag"
import { type Catalog, UNLISTED_CALL_MS } from "../../catalog/catalog.ts"
import type { CodeMode } from "../../code/code-mode.ts"
import { toValueText } from "../../code/value/value.ts"
import { YardError } from "../../model/errors.ts"
import { toJsonText } from "../../model/json.ts"
import { callOf, limitBody, readObject, whileConnected } from "./request.ts"

/** The tool did what it could and failed: nothing is wrong with the hub, and nothing is to be sent again by itself. */
const TOOL_FAILED = 422

export function addRuntimeRoutes(app: Hono, code: CodeMode, catalog: Catalog): void {
  // Asked for again each time, and sent again only when a server has changed.
  app.use("/runtime/*", etag())
  const send = async (context: Context, print: (about: About) => string): Promise<Response> => {
    const { server, tool } = context.req.query()
    if (tool !== undefined && server === undefined)
      throw new YardError("invalid_params", "`tool` needs `server`", { hint: "?server=NAME&tool=NAME" })
    await catalog.whenListed(undefined, UNLISTED_CALL_MS)
    const text = print({ ...(server !== undefined && { server }), ...(tool !== undefined && { tool }) })
    return context.body(text, 200, {
      "Content-Type": "application/typescript; charset=utf-8",
      "Cache-Control": "no-cache",
    })
  }
  app.get("/runtime/tools.d.ts", context => send(context, about => code.types(about)))
  app.get("/runtime/tools.ts", context => send(context, about => code.client(about)))

  app.post("/tools/:id", limitBody, async context => {
    const id = context.req.param("id")
    const args = await readObject(context, "the arguments of the tool as a JSON object")
    const call = callOf()
    const result = await whileConnected(context, call, () => catalog.call(call, id, args))
    const asJson = { "Content-Type": "application/json" }
    if (context.req.query("raw") === "1") return context.body(toJsonText(result), 200, asJson)
    return context.body(toValueText(result), result.isError === true ? TOOL_FAILED : 200, asJson)
  })
}

interface About {
  server?: string
  tool?: string
}
