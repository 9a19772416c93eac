/** A call of a tool as the request that its operation says, and the answer as the tool's result. */
import type { JsonObject } from "../../../model/json.ts"
import { CLIENT_INFO } from "../../../model/mcp.ts"
import type { ToolResult } from "../../../model/source.ts"
import type { OperationPlan } from "../operation.ts"
import { toAddress } from "./address.ts"
import type { Authorizer } from "./auth.ts"
import { toBody } from "./body.ts"
import { type Delivered, deliver } from "./deliver.ts"
import type { ReadBlob } from "./file.ts"
import { type Headers, toHeaders } from "./headers.ts"
import { isJson } from "./media-type.ts"
import { joinPages, nextPage } from "./next-page.ts"
import { MAX_PAGES, PAGES } from "./pages.ts"
import { type Answer, answerResult, jsonResult, parsed, type ResultDeps, readAnswer, toResult } from "./result.ts"
import type { Transport, WireRequest } from "./transport.ts"

export interface SendDeps extends ResultDeps {
  transport: Transport
  authorizer: Authorizer
  blob: ReadBlob
  /** Of the entry: sent with every request. */
  headers: Record<string, string>
  /** In place of the address that the description names. */
  server?: string | undefined
}

const MAX_PAGES_BYTES = 5_000_000

export async function sendOperation(plan: OperationPlan, args: JsonObject, deps: SendDeps): Promise<ToolResult> {
  const { signal } = deps
  if (signal.aborted) throw signal.reason
  try {
    const request = await toRequest(plan, args, deps)
    const pages = Math.min(Number(args[PAGES] ?? 1), MAX_PAGES)
    const response = await deliverFor(plan, request, deps)
    const result =
      pages > 1 && plan.method === "GET"
        ? await collectPages(plan, args, response, pages, deps)
        : await toResult(request.method, response, deps)
    return explained(plan, response, result, deps)
  } catch (error) {
    // Whatever broke when it was ended, broke because it was ended.
    throw signal.aborted ? signal.reason : error
  }
}

export async function toRequest(plan: OperationPlan, args: JsonObject, deps: SendDeps): Promise<WireRequest> {
  const own = toHeaders(plan, args)
  const wanted = own.find(([name]) => name.toLowerCase() === "content-type")?.[1]
  const body = plan.body && (await toBody(plan.body, args, deps.blob, wanted))
  const headers: Headers = [
    ["accept", "application/json, */*;q=0.8"],
    ["user-agent", `${CLIENT_INFO.name}/${CLIENT_INFO.version}`],
    ...Object.entries(deps.headers),
    ...own.filter(([name]) => name.toLowerCase() !== "content-type" || !body),
    ...(body ? [["content-type", body.contentType] as [string, string]] : []),
  ]
  return { method: plan.method, ...toAddress(plan, args, deps.server), headers, body: body?.bytes }
}

function deliverFor(plan: OperationPlan, request: WireRequest, { transport, authorizer, signal }: SendDeps) {
  const grant = (until: AbortSignal) => authorizer.grant(plan, until)
  return deliver(request, { transport, signal, authorize: { grant, renew: authorizer.renew } })
}

async function collectPages(
  plan: OperationPlan,
  first: JsonObject,
  response: Delivered,
  pages: number,
  deps: SendDeps,
): Promise<ToolResult> {
  const bodies: unknown[] = []
  let args = first
  let answer: Answer = await readAnswer(response, deps)
  for (let size = 0; ; ) {
    const body =
      answer.status < 300 && !answer.isCut && isJson(answer.type) ? parsed(answer.bytes.toString()) : undefined
    if (!body) return bodies.length === 0 ? answerResult(plan.method, answer, deps) : joined(bodies, deps, answer)
    bodies.push(body.json)
    size += answer.bytes.length
    if (deps.call.wantsProgress) deps.call.progress({ progress: bodies.length, total: pages })
    if (bodies.length === pages || size > MAX_PAGES_BYTES) break
    const next = nextPage(plan, args, { body: body.json, headers: answer.headers, url: answer.url })
    if (!next) break
    if ("args" in next) args = next.args
    const request = await toRequest(plan, args, deps)
    const target = "url" in next ? { origin: next.url.origin, path: next.url.pathname + next.url.search } : {}
    answer = await readAnswer(await deliverFor(plan, { ...request, ...target }, deps), deps)
  }
  return joined(bodies, deps)
}

function joined(bodies: unknown[], { givesObject }: SendDeps, failed?: Answer): ToolResult {
  const value = bodies.length === 1 ? bodies[0] : joinPages(bodies)
  const result = jsonResult(JSON.stringify(value), value, givesObject)
  if (!failed) return result
  const note = `(Page ${bodies.length + 1} could not be had: ${failed.status}. These are the pages before it.)`
  return { ...result, content: [...(result.content as unknown[]), { type: "text", text: note }] }
}

/** Who is not let in is told which key to set. */
function explained(plan: OperationPlan, { status }: Delivered, result: ToolResult, deps: SendDeps): ToolResult {
  const help = status === 401 || status === 403 ? deps.authorizer.explain(plan) : undefined
  if (help === undefined || !Array.isArray(result.content)) return result
  return { ...result, content: [...result.content, { type: "text", text: help }] }
}
