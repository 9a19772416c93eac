/** Modules that compute what a server offers: given a list, they give the list that is offered instead. */
import { YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { OfferList } from "../../../model/source.ts"
import { callTool } from "./call.ts"
import { createContext, type Surroundings } from "./context.ts"
import { createItems, type Items, templateMatches } from "./items.ts"
import type { Exports, Loader } from "./load.ts"
import { toPromptResult, toReadResult } from "./offer-results.ts"
import type { Run } from "./revive.ts"
import { type Handlers, introduce } from "./serve.ts"
import type { Request } from "./wire.ts"

const LISTS: readonly string[] = ["tools", "resources", "prompts"] satisfies OfferList[]

export async function serveTransforms(
  files: ReadonlyMap<string, string>,
  loader: Loader,
  around: Surroundings,
): Promise<Handlers> {
  const modules = new Map<string, { exports: Exports; file: string }>()
  for (const [list, file] of files) {
    if (!LISTS.includes(list))
      throw new YardError("usage", `a transform is of tools, resources or prompts, not of ${list}`)
    modules.set(list, { exports: await loader.load(file), file })
  }
  const items: Items = { tools: new Map(), resources: new Map(), prompts: new Map() }
  const handlers = introduce(around, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    files: () => loader.files(),
  })
  const lists = { "tools/list": "tools", "resources/list": "resources", "prompts/list": "prompts" }
  for (const [method, key] of Object.entries(lists)) handlers.set(method, () => ({ [key]: [] }))
  handlers.set("resources/templates/list", () => ({ resourceTemplates: [] }))

  handlers.set("toolyard/transform", async ({ params }) => {
    const list = String(params.list) as OfferList
    const module = modules.get(list)
    if (!module) throw new YardError("invalid_params", `there is no module that computes ${list}`)
    const given = Array.isArray(params.items) ? params.items : []
    const computed = await compute(module.exports, given, { list, server: params.server })
    return { items: createItems(list, computed, items, module.file) }
  })
  handlers.set("tools/call", request => {
    const { name } = request.params
    const tool = items.tools.get(name as string)
    if (!tool) throw new YardError("unknown_tool", `there is no tool ${JSON.stringify(name)}`)
    return callTool(tool, request, around, loader.places)
  })
  handlers.set("resources/read", async request => {
    const uri = String(request.params.uri)
    const found =
      items.resources.get(uri) ??
      [...items.resources.values()].find(({ definition: { uriTemplate } }) => {
        return typeof uriTemplate === "string" && templateMatches(uriTemplate, uri)
      })
    if (!found) throw new YardError("unknown_resource", `there is no resource ${JSON.stringify(uri)}`)
    return toReadResult(await answer(found.run, uri, request), uri, found.definition.mimeType)
  })
  handlers.set("prompts/get", async request => {
    const { name, arguments: args } = request.params
    const found = items.prompts.get(name as string)
    if (!found) throw new YardError("unknown_prompt", `there is no prompt ${JSON.stringify(name)}`)
    return toPromptResult(await answer(found.run, isObject(args) ? args : {}, request))
  })

  /** What these throw has no place in a result: it is an error of the request. */
  async function answer(run: Run, subject: unknown, request: Request): Promise<unknown> {
    try {
      return await around.strays.during(async () => run(subject, createContext(request, around)))
    } catch (error) {
      throw failure(error)
    }
  }
  function failure(error: unknown): YardError {
    const where = loader.places.of(error)
    const message = error instanceof Error ? error.message : String(error)
    return new YardError("upstream_error", where ? `${message}\n    at ${where}` : message, { cause: error })
  }
  async function compute(exports: Exports, given: unknown[], about: JsonObject): Promise<unknown> {
    const made = exports.get("default")
    if (typeof made !== "function") return made
    try {
      return await around.strays.during(async () => made(given, about))
    } catch (error) {
      throw failure(error)
    }
  }
  return handlers
}
