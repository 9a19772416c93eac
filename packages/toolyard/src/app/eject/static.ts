/** What is written in the configuration as a stand-alone server: the same texts, filled by the same rules. */
import { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { YardAccess } from "../../model/source.ts"
import { toAdditions } from "../../sources/static/additions.ts"
import type { Argument } from "../../sources/static/arguments.ts"
import { compileTemplate } from "../../sources/static/template.ts"
import { referencesIn } from "./as-written.ts"
import { toOffered } from "./definitions.ts"
import type { EjectInput, Ejection } from "./ejection.ts"
import { createSampler } from "./fitting-sample.ts"
import { type StaticParts, staticText } from "./static-text.ts"
import { readTemplates } from "./template.ts"

const CALLER = { surface: "cli", principal: "local" } as const

export async function ejectStatic({ server, written }: EjectInput, yard: YardAccess): Promise<Ejection> {
  const added = toAdditions(written)
  const warnings = [...added.faults]
  const samples: JsonObject[] = []
  const sampler = createSampler()
  const isPlain = (value: unknown): boolean => referencesIn(value).length === 0
  const parts: StaticParts = { tools: {}, prompts: {}, resources: [], contents: {}, templates: [] }

  const offered = toOffered(
    written,
    [...added.tools.values()].map(({ definition }) => definition),
  )
  for (const { sourceName, definition } of offered) {
    const item = written.additions.tools[sourceName] as JsonObject
    const own = added.tools.get(sourceName)!
    if (item.call !== undefined)
      throw new YardError(
        "usage",
        `${server.name}.${sourceName} calls ${String(item.call)}, a tool of another server`,
        {
          hint: "A stand-alone server has no others: leave the tool out with `exclude`, or eject the other server.",
        },
      )
    const sample = sampler(definition.inputSchema as JsonObject)
    const args = sample ?? {}
    const give = () => own.call(args, new Call(CALLER), yard)
    parts.tools[definition.name] = item.cid === undefined ? toTool(item) : { result: escaped(await give()) }
    if (sample && isPlain(item)) {
      const params = { name: definition.name, arguments: args }
      samples.push({ method: "tools/call", params, result: plain(await give()) })
    }
  }

  for (const [uri, resource] of added.resources) {
    if (uri.startsWith("server:")) {
      warnings.push(`${uri} is left out: it is what a tool of this yard gives`)
      continue
    }
    const result = await resource.read(uri, {}, new Call(CALLER), yard)
    const isText = !/^(?:file|cid):/.test(uri)
    parts.resources.push(resource.definition)
    parts.contents[uri] = isText ? result : escaped(result)
    if (uri.startsWith("file:")) warnings.push(`${uri} is now what it was when the server was ejected`)
    if (!isText || isPlain(result))
      samples.push({ method: "resources/read", params: { uri }, result: isText ? plain(result) : result })
  }
  for (const [uriTemplate, { definition }] of added.templates) {
    const { text, json, mimeType } = toObject(written.additions.resources[uriTemplate])
    if (text === undefined && json === undefined) {
      warnings.push(`${uriTemplate} is left out: what it gives is not written out`)
      continue
    }
    parts.templates.push({
      definition,
      content: {
        uriTemplate,
        mimeType: mimeType ?? definition.mimeType,
        ...(text === undefined ? { json } : { text }),
      },
    })
  }

  for (const [name, prompt] of added.prompts) {
    const { text, messages } = toObject(written.additions.prompts[name])
    const args = Object.fromEntries(prompt.arguments.map(argument => [argument.name, sampleOf(argument)]))
    parts.prompts[name] = {
      definition: prompt.definition,
      content: {
        description: prompt.definition.description,
        messages: toMessages(text, messages),
        arguments: prompt.arguments.map(toArgument),
      },
    }
    const result = prompt.get(args)
    if (isPlain(result))
      samples.push({ method: "prompts/get", params: { name, arguments: args }, result: plain(result) })
  }

  const files = await readTemplates(["src/template.ts", "src/text.ts", "src/written.ts", "test/results.test.ts"])
  files.set("src/handlers/index.ts", staticText(parts))
  files.set("test/samples.json", `${JSON.stringify(samples, undefined, 2)}\n`)
  const hasResources = parts.resources.length + parts.templates.length > 0
  return {
    tools: offered.map(({ definition }) => definition),
    files,
    dependencies: {},
    variables: referencesIn(parts).map(({ name, hasDefault }) => ({
      name,
      purpose: "stands in a text",
      required: !hasDefault,
    })),
    notes: ["`src/handlers/index.ts` holds what is given, with `{{name}}` where an argument stands."],
    warnings,
    exports: [
      ...(Object.keys(parts.prompts).length > 0 ? ["prompts" as const] : []),
      ...(hasResources ? ["resources" as const] : []),
    ],
  }
}

function toTool(item: JsonObject): JsonObject {
  const kind = ["text", "content", "structured"].find(key => item[key] !== undefined) as string
  const { properties } = toObject(item.inputSchema)
  const presets = [...compileTemplate(item[kind]).parameters.values()].flatMap(({ name, default: preset }) => {
    const own = isObject(properties) && isObject(properties[name]) ? properties[name].default : undefined
    return own === undefined && preset === undefined ? [] : [[name, own ?? preset] as const]
  })
  return { [kind]: item[kind], ...(presets.length > 0 && { defaults: Object.fromEntries(presets) }) }
}

function toMessages(text: unknown, messages: unknown): JsonObject[] {
  if (text !== undefined) return [{ role: "user", content: { type: "text", text } }]
  return (messages as unknown[]).map(message => {
    const { role = "user", content } = isObject(message) ? message : { content: message }
    return { role, content: typeof content === "string" ? { type: "text", text: content } : content }
  })
}

function toArgument({ name, required, default: preset, enum: only }: Argument): JsonObject {
  return {
    name,
    ...(required && { required }),
    ...(preset !== undefined && { default: preset }),
    ...(only && { enum: only }),
  }
}

function sampleOf({ type, enum: only }: Argument): string {
  return only?.[0] ?? { string: "sample", integer: "1", number: "1.5", boolean: "true" }[type]
}

const toObject = (written: unknown): JsonObject => (isObject(written) ? written : { text: written })

/** What was read is a text as it is: no variables stand in it. */
function escaped<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll("${", "$$${")) as T
}

/** What is written has `$${` where it gives plain braces. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll("$${", "${")) as T
}
