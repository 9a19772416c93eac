/** What an operation answers, as an output schema that no honest answer breaks: descriptions are seldom exact there. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { estimateTokens } from "../../../model/tokens.ts"
import { escapePointer, type Located, partOf } from "../read/resolve.ts"
import { assemble, sizeOf } from "../schema/assemble.ts"
import type { Render } from "../schema/render.ts"
import type { SourceOperation } from "./source-operation.ts"

/** From what is shortest to what tells most: most answers are too large for more than the first or second. */
const DEPTHS = [1, 2, 3, 4]

/** Nothing where the answer is no JSON object, or too large to be told. */
export function toOutputSchema(source: SourceOperation, render: Render, maxTokens: number): JsonObject | undefined {
  const schema = answerOf(source)
  if (!schema) return undefined
  let best: JsonObject | undefined
  let before = ""
  for (const depth of DEPTHS) {
    const { node, links } = render(schema, { mode: "output", depth, text: 0, example: 0 })
    if (sizeOf(links, maxTokens * 8) > maxTokens * 8) break
    const whole = asObject(assemble(node, links))
    const text = JSON.stringify(whole)
    if (!whole || text === before || estimateTokens(text) > maxTokens) break
    best = whole
    before = text
  }
  return best
}

/** The root is an object or there is no schema: the protocol wants it so. Everything within may be `null`. */
function asObject(schema: JsonObject): JsonObject | undefined {
  const { $defs, ...own } = schema
  const name = typeof own.$ref === "string" ? own.$ref.replace("#/$defs/", "") : undefined
  const root = name !== undefined && isObject($defs) ? $defs[name] : own
  if (!isObject(root) || !isObject(root.properties)) return undefined
  const types = Array.isArray(root.type) ? root.type : [root.type]
  if (!types.includes("object")) return undefined
  return { ...root, type: "object", ...($defs !== undefined && { $defs }) }
}

function answerOf(source: SourceOperation): Located | undefined {
  const { description, operation } = source
  const responses = partOf(description, operation, "responses")
  if (!isObject(responses?.value)) return undefined
  const code = Object.keys(responses.value)
    .filter(key => /^2(\d\d|xx)$/i.test(key))
    .sort()[0]
  const response = code === undefined ? undefined : partOf(description, responses, code)
  if (!response || !isObject(response.value)) return undefined
  if (isObject(response.value.schema)) {
    return { value: response.value.schema, uri: response.uri, at: `${response.at}/schema` }
  }
  const content = partOf(description, response, "content")
  if (!isObject(content?.value)) return undefined
  const type = Object.keys(content.value).find(key => /[/+]json\b/i.test(key) || key === "*/*")
  const media = type === undefined ? undefined : partOf(description, content, type)
  if (!media || !isObject(media.value) || media.value.schema === undefined) return undefined
  return { value: media.value.schema, uri: media.uri, at: `${content.at}/${escapePointer(type!)}/schema` }
}
