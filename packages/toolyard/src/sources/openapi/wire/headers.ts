/** Headers and cookies of a request: what the arguments say, and nothing that could end a header and start another. */
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import type { OperationPlan } from "../operation.ts"
import { toContent } from "./address.ts"
import { isGiven, percentEncode } from "./encode.ts"
import { toPairs, toSegment } from "./style.ts"

export type Headers = [name: string, value: string][]

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** They say whom a request is for and where it ends. */
const RESERVED =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/i

/** Only cookies that were asked for are sent: there is no jar. */
export function toHeaders(plan: OperationPlan, args: JsonObject): Headers {
  const headers: Headers = []
  const cookies: string[] = []
  for (const parameter of plan.parameters) {
    const value = args[parameter.argument]
    if (!isGiven(value)) continue
    const { name, content } = parameter
    if (parameter.in === "header") {
      headers.push([name, content ? toContent(content, value) : toSegment(parameter, value, text => text)])
    } else if (parameter.in === "cookie") {
      const pairs = content
        ? [[name, percentEncode(toContent(content, value))]]
        : toPairs(parameter, value, percentEncode, key => (TOKEN.test(key) ? key : percentEncode(key)))
      cookies.push(...pairs.map(([key, text]) => `${key}=${text}`))
    }
  }
  if (cookies.length > 0) headers.push(["cookie", cookies.join("; ")])
  return headers
}

/** Later ones replace earlier ones of the same name; cookies are put together. */
export function mergeHeaders(...lists: Headers[]): Headers {
  const merged = new Map<string, [string, string]>()
  for (const [name, value] of lists.flat()) {
    const key = name.toLowerCase()
    const before = key === "cookie" ? merged.get(key)?.[1] : undefined
    merged.set(key, checked(name, before === undefined ? value : `${before}; ${value}`))
  }
  return [...merged.values()]
}

/** Other than ASCII goes as UTF-8, which is what servers expect today; HTTP itself has no word for it. */
function checked(name: string, value: string): [string, string] {
  if (!TOKEN.test(name) || RESERVED.test(name))
    throw new YardError("invalid_arguments", `${JSON.stringify(name)} can't be sent as a header`)
  if (!value.isWellFormed() || /[\0-\x08\x0a-\x1f\x7f]/.test(value))
    throw new YardError("invalid_arguments", `the value for ${name} has a character that a header can't hold`, {
      hint: "Remove line breaks and control characters.",
    })
  return [name, Buffer.from(value.trim()).toString("latin1")]
}
