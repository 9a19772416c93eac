/** Tools written in the configuration: what each is, and what calling it gives. */
import type { Call } from "../../model/call.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"
import type { ToolResult, YardAccess } from "../../model/source.ts"
import { toBlock, toUtf8 } from "./media.ts"
import { type Parameter, schemaOf, toText } from "./placeholders.ts"
import { compileTemplate, type Template, withDefaults } from "./template.ts"
import { invalid, shownOf } from "./written.ts"

export interface StaticTool {
  definition: ToolDefinition
  call(args: JsonObject, call: Call, yard: YardAccess): Promise<ToolResult>
}

type Body = (values: JsonObject, call: Call, yard: YardAccess) => ToolResult | Promise<ToolResult>

const BODIES = ["text", "content", "structured", "call", "cid"] as const
/** What is the catalog's to heed, or ours; all else goes to clients as it is written. */
const NOT_SHOWN: ReadonlySet<string> = new Set([...BODIES, "arguments", "enabled", "timeoutMs", "inputSchema"])
const CID = /^(?:cid:\/\/)?(b[a-z2-7]{20,})$/

/** Throws `config_invalid` with what is wrong and how to mend it. */
export function toStaticTool(name: string, written: JsonObject): StaticTool {
  const bodies = BODIES.filter(body => written[body] !== undefined)
  const [kind] = bodies
  if (kind === undefined) throw invalid(`says nothing of what calling it gives: write one of ${BODIES.join(", ")}`)
  if (bodies.length > 1) throw invalid(`has ${bodies.join(" and ")}: keep one of them`)
  if (written.arguments !== undefined && kind !== "call") throw invalid("has `arguments`, which only go with `call`")
  if (written.outputSchema !== undefined && kind !== "structured" && kind !== "call") {
    throw invalid(`has an \`outputSchema\`, but its ${kind} is no structured result: write \`structured\``)
  }

  const template = compileTemplate(kind === "call" ? (written.arguments ?? {}) : written[kind])
  const body = bodyOf(kind, written, template)
  const { inputSchema, parameters } = inputOf(written.inputSchema, template)
  return {
    definition: { ...shownOf(written, NOT_SHOWN), name, inputSchema },
    call: async (args, call, yard) => body(withDefaults(parameters, args), call, yard),
  }
}

function bodyOf(kind: (typeof BODIES)[number], written: JsonObject, { fill }: Template): Body {
  const value = written[kind]
  switch (kind) {
    case "text":
      if (typeof value !== "string") throw invalid("has a `text` that is not a string")
      return values => ({ content: [{ type: "text", text: toText(fill(values)) }] })
    case "content":
      if (!Array.isArray(value) || !value.every(block => isObject(block) && typeof block.type === "string")) {
        throw invalid('has a `content` that is not a list of blocks such as { "type": "text", "text": "…" }')
      }
      return values => ({ content: (fill(values) as JsonObject[]).map(withText) })
    case "structured":
      if (!isObject(value)) throw invalid("has a `structured` that is not an object")
      return values => {
        const structuredContent = fill(values)
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
      }
    case "call":
      if (typeof value !== "string" || value === "") throw invalid('has a `call` that is not a name: "server__tool"')
      if (written.arguments !== undefined && !isObject(written.arguments)) {
        throw invalid("has `arguments` that are not an object")
      }
      return (values, call, yard) => yard.call(call, value, fill(values) as JsonObject)
    case "cid": {
      const cid = typeof value === "string" ? CID.exec(value)?.[1] : undefined
      if (cid === undefined) throw invalid("has a `cid` that is no content id")
      return (_values, _call, yard) => blobResult(cid, yard)
    }
  }
}

/** A text block has a text, whatever was put in its place. */
const withText = (block: JsonObject): JsonObject =>
  block.type === "text" ? { ...block, text: toText(block.text) } : block

async function blobResult(cid: string, yard: YardAccess): Promise<ToolResult> {
  const blob = await yard.blob(cid)
  if (!blob) return { isError: true, content: [{ type: "text", text: `there is no content under cid://${cid} here` }] }
  const { bytes, mediaType } = blob
  const text = /^(image|audio)\//.test(mediaType) ? undefined : toUtf8(bytes)
  if (text !== undefined) return { content: [{ type: "text", text }] }
  // Bytes that came without a type may say by themselves what they are.
  const known = mediaType === "application/octet-stream" ? undefined : mediaType
  return { content: [toBlock(bytes, known, `cid://${cid}`)] }
}

/** The schema as written, or as the placeholders have it; the parameters agree with it in either case. */
function inputOf(written: unknown, { parameters }: Template): { inputSchema: JsonObject; parameters: Parameter[] } {
  const used = [...parameters.values()]
  if (written === undefined) return { inputSchema: schemaOf(used), parameters: used }
  if (!isObject(written) || (written.type !== undefined && written.type !== "object")) {
    throw invalid('has an `inputSchema` that is not of the type "object"')
  }
  const inputSchema = { ...written, type: "object" }
  const properties = isObject(written.properties) ? written.properties : {}
  const required: unknown[] = Array.isArray(written.required) ? written.required : []
  const agreed = used.map((parameter): Parameter => {
    const { name } = parameter
    if (!Object.hasOwn(properties, name)) throw invalid(`uses {{${name}}}, which its \`inputSchema\` does not have`)
    const property = properties[name]
    const fallback = (isObject(property) ? property.default : undefined) as Parameter["default"]
    return { ...parameter, required: required.includes(name), ...(fallback !== undefined && { default: fallback }) }
  })
  return { inputSchema, parameters: agreed }
}
