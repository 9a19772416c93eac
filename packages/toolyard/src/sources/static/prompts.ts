/** Prompts written in the configuration: their arguments, and the messages they become. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { PromptDefinition } from "../../model/mcp.ts"
import type { PromptResult } from "../../model/source.ts"
import { type Argument, fromParameter, toArguments, whyNot } from "./arguments.ts"
import { toText } from "./placeholders.ts"
import { compileTemplate } from "./template.ts"
import { invalid, shownOf } from "./written.ts"

export interface StaticPrompt {
  definition: PromptDefinition
  arguments: Argument[]
  /** Throws `invalid_params`, naming the argument. */
  get(args: JsonObject): PromptResult
}

const NOT_SHOWN: ReadonlySet<string> = new Set(["text", "messages", "arguments"])

/** Throws `config_invalid` with what is wrong and how to mend it. */
export function toStaticPrompt(name: string, written: JsonObject): StaticPrompt {
  const messages = messagesOf(written)
  const template = compileTemplate(messages)
  const declared = toArguments(written.arguments)
  const twice = declared.find((argument, index) => declared.findIndex(other => other.name === argument.name) !== index)
  if (twice) throw invalid(`has two arguments named "${twice.name}"`)
  const known = new Set(declared.map(argument => argument.name))
  const used = [...template.parameters.values()].filter(parameter => !known.has(parameter.name))
  const all = [...declared.map(argument => refined(argument, template.parameters)), ...used.map(fromParameter)]
  return {
    definition: { ...shownOf(written, NOT_SHOWN), name, ...(all.length > 0 && { arguments: all.map(toDefinition) }) },
    arguments: all,
    get: args => ({
      ...(typeof written.description === "string" && { description: written.description }),
      messages: template.fill(checkedValues(name, all, args)),
    }),
  }
}

function messagesOf({ text, messages }: JsonObject): JsonObject[] {
  if (text !== undefined && messages !== undefined) throw invalid("has text and messages: keep one of them")
  if (typeof text === "string") return [{ role: "user", content: { type: "text", text } }]
  if (text !== undefined) throw invalid("has a `text` that is not a string")
  if (!Array.isArray(messages) || messages.length === 0) throw invalid("says nothing: write `text` or `messages`")
  return messages.map((message: unknown) => {
    const { role = "user", content } = isObject(message) ? message : { content: message }
    if (role !== "user" && role !== "assistant") throw invalid('has a message whose role is not "user" or "assistant"')
    if (typeof content === "string") return { role, content: { type: "text", text: content } }
    if (!isObject(content) || typeof content.type !== "string") {
      throw invalid(
        'has a message whose `content` is neither a text nor a block such as { "type": "text", "text": "…" }',
      )
    }
    return { role, content }
  })
}

/** What the placeholder says of an argument that is declared too, where the declaration is silent. */
function refined(argument: Argument, parameters: ReturnType<typeof compileTemplate>["parameters"]): Argument {
  const fallback = parameters.get(argument.name)?.default
  if (argument.default !== undefined || fallback === undefined) return argument
  return { ...argument, required: false, default: String(fallback) }
}

/** MCP has no place for types, values and defaults: they are told in the description. */
function toDefinition({
  name,
  title,
  description,
  required,
  type,
  enum: only,
  default: fallback,
}: Argument): JsonObject {
  const facts = [
    description,
    only ? `One of: ${only.join(", ")}.` : type === "string" ? undefined : `Type: ${type}.`,
    fallback !== undefined && fallback !== "" ? `Default: ${fallback}.` : undefined,
  ].filter(fact => fact !== undefined)
  return {
    name,
    ...(title !== undefined && { title }),
    ...(facts.length > 0 && { description: facts.join(" ") }),
    required,
  }
}

/** Every argument as text: that is what prompts are given, and what they are made of. */
function checkedValues(prompt: string, known: Argument[], given: JsonObject): JsonObject {
  const names = known.map(argument => argument.name)
  const stranger = Object.keys(given).find(name => !names.includes(name))
  if (stranger !== undefined) {
    const has = names.length > 0 ? `its arguments are ${names.join(", ")}` : "it has none"
    throw wrong(prompt, `there is no argument "${stranger}"; ${has}`)
  }
  const values = known.map((argument): [string, string] => {
    const value = Object.hasOwn(given, argument.name) ? given[argument.name] : undefined
    // Forms send what was left empty as an empty text.
    const left = value === "" && whyNot(argument, value) !== undefined
    const absent = value === undefined || value === null || left
    if (absent) {
      if (argument.required) throw wrong(prompt, `the argument "${argument.name}" is missing`)
      return [argument.name, argument.default ?? ""]
    }
    const fault = whyNot(argument, value)
    if (fault !== undefined) throw wrong(prompt, `the argument "${argument.name}" ${fault}`)
    return [argument.name, toText(value)]
  })
  return Object.fromEntries(values)
}

const wrong = (prompt: string, message: string): YardError =>
  new YardError("invalid_params", `Invalid arguments for the prompt ${prompt}: ${message}`)
