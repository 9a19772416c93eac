/** The arguments of a tool: every parameter and the body, told as fully as the budget allows, all of them in any case. */
import type { JsonObject } from "../../../model/json.ts"
import { estimateTokens } from "../../../model/tokens.ts"
import { assemble, sizeOf } from "../schema/assemble.ts"
import type { Detail, Fragment, SchemaNode } from "../schema/fragment.ts"
import { copyExample } from "../schema/keywords.ts"
import type { Render } from "../schema/render.ts"
import { saysMoreThan, shorten } from "../schema/text.ts"
import type { Body } from "./content.ts"
import { toArgumentName } from "./names.ts"
import type { Input } from "./parameters.ts"

/** From what tells most to what is shortest: texts go first, then what is nested deep, names and types never. */
const DETAILS: Detail[] = [
  { mode: "input", depth: Number.POSITIVE_INFINITY, text: 140, example: 50 },
  { mode: "input", depth: Number.POSITIVE_INFINITY, text: 80, example: 20 },
  { mode: "input", depth: 3, text: 80, example: 20 },
  { mode: "input", depth: 2, text: 60, example: 20 },
  { mode: "input", depth: 1, text: 60, example: 20 },
  { mode: "input", depth: 1, text: 30, example: 12 },
  { mode: "input", depth: 1, text: 0, example: 12 },
]

const MONSTROUS = 30

export function toInputSchema(
  inputs: readonly Input[],
  body: Body | undefined,
  render: Render,
  maxTokens: number,
): { schema: JsonObject; bodyArgument: string } {
  const taken = new Set(inputs.map(({ plan }) => plan.argument))
  const bodyArgument = taken.has("body") ? toArgumentName("requestBody", "body", taken) : "body"
  let schema: JsonObject = {}
  for (const detail of DETAILS) {
    const { node, links } = toNode(inputs, body, bodyArgument, render, detail)
    const last = detail === DETAILS.at(-1)
    if (!last && sizeOf(links, maxTokens * 8) > maxTokens * 8) continue
    schema = assemble(node, links)
    const tokens = estimateTokens(JSON.stringify(schema))
    if (tokens <= maxTokens) break
    // No description of a real API comes near this.
    if (last && tokens > MONSTROUS * maxTokens) schema = assemble(namesOnly(node), [])
  }
  return { schema, bodyArgument }
}

function toNode(
  inputs: readonly Input[],
  body: Body | undefined,
  bodyArgument: string,
  render: Render,
  detail: Detail,
): { node: SchemaNode; links: Fragment[] } {
  const links: Fragment[] = []
  const properties: [string, SchemaNode][] = []
  const required: string[] = []
  for (const { plan, schema, declared } of inputs) {
    const rendered = render(schema, detail, plan.argument)
    links.push(...rendered.links)
    properties.push([plan.argument, described(rendered.node, declared, declared, plan.argument, detail)])
    if (plan.required) required.push(plan.argument)
  }
  if (body) {
    const rendered = render(body.schema, detail, bodyArgument)
    links.push(...rendered.links)
    properties.push([bodyArgument, described(rendered.node, body.declared, body.media, bodyArgument, detail)])
    if (body.required) required.push(bodyArgument)
  }
  const node: SchemaNode = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  return { node, links }
}

function namesOnly(node: SchemaNode): SchemaNode {
  return { ...node, properties: Object.fromEntries(Object.keys(node.properties as JsonObject).map(name => [name, {}])) }
}

/** What the parameter says of itself counts more than what its schema, which others may share, says. */
function described(
  node: SchemaNode,
  declared: JsonObject,
  media: JsonObject,
  name: string,
  detail: Detail,
): SchemaNode {
  const out = { ...node }
  const text = typeof declared.description === "string" ? shorten(declared.description, detail.text) : ""
  if (text !== "" && saysMoreThan(text, name)) out.description = text
  if (declared.deprecated === true) out.deprecated = true
  copyExample(media, out, detail.example)
  return out
}
