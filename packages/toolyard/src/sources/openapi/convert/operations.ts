/** Every operation of a description as a tool. Nothing that a description gets wrong takes a tool away. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { ToolDefinition } from "../../../model/mcp.ts"
import type { OperationTool, Repair } from "../operation.ts"
import type { Description } from "../read/description.ts"
import { escapePointer, follow, type Located } from "../read/resolve.ts"
import type { Complain } from "../schema/keywords.ts"
import { createRender } from "../schema/render.ts"
import { toAnnotations } from "./annotations.ts"
import { toBody } from "./body.ts"
import { toText, toTitle } from "./describe.ts"
import { type Selection, toFilter } from "./filter.ts"
import { toInputSchema } from "./input.ts"
import { toToolName } from "./names.ts"
import { pathOf, toParameters } from "./parameters.ts"
import { toOutputSchema } from "./response.ts"
import { isSecurityUnused, toSecurity } from "./security.ts"
import { createServers } from "./servers.ts"
import type { SourceOperation } from "./source-operation.ts"

export interface ConvertOptions extends Selection {
  /** Roughly how many tokens the arguments of one tool may take; what is nested deep is told shorter beyond that. */
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  descriptionTokens?: number | undefined
}

export interface Converted {
  tools: OperationTool[]
  report: Repair[]
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]
/** Measured over real descriptions: with these a tool takes under 250 tokens on average, all told. */
const BUDGET = { input: 340, output: 100, description: 90 }
const MAX_REPORT = 1000

export function toOperations(description: Description, options: ConvertOptions = {}): Converted {
  const { complain, report } = createReport()
  const render = createRender(description, complain)
  const wanted = toFilter(options)
  const toServers = createServers()
  const sources = [...operationsOf(description, complain)]
  const unused = isSecurityUnused(
    description,
    sources.map(({ operation }) => operation.value),
  )
  if (unused) complain("security_unused", "", "no operation says which secrets it needs: any that is set is sent")
  const taken = new Set<string>()
  const tools: OperationTool[] = []
  for (const source of sources) {
    const { method, path, operation } = source
    const id = typeof operation.value.operationId === "string" ? operation.value.operationId : undefined
    const name = toToolName({ id, method, path }, taken)
    // Names are given to all, so that they stay the same whatever is left out.
    taken.add(name)
    const tags = Array.isArray(operation.value.tags) ? operation.value.tags.map(String) : []
    if (!wanted({ tool: name, id, method, path, tags })) continue
    const parameters = toParameters(source)
    const body = toBody(source, parameters)
    const { schema, bodyArgument } = toInputSchema(parameters.inputs, body, render, options.inputTokens ?? BUDGET.input)
    const title = toTitle(operation.value)
    const outputSchema = toOutputSchema(source, render, options.outputTokens ?? BUDGET.output)
    const text = toText(operation.value, `${method} ${path}`, options.descriptionTokens ?? BUDGET.description)
    const definition: ToolDefinition = {
      name,
      ...(title !== undefined && title !== text.replace(/\.$/, "") && { title }),
      description: text,
      inputSchema: schema,
      ...(outputSchema && { outputSchema }),
      annotations: toAnnotations(method),
    }
    tools.push({
      definition,
      operation: {
        id: id ?? `${method} ${path}`,
        method,
        path: pathOf(path),
        servers: toServers(source),
        parameters: parameters.inputs.map(({ plan }) => plan),
        ...(body && { body: { argument: bodyArgument, required: body.required, contents: body.contents } }),
        security: toSecurity(source, unused),
      },
    })
  }
  reportDuplicates(sources, complain)
  return { tools, report }
}

function* operationsOf(description: Description, complain: Complain): Generator<SourceOperation> {
  const { root, uri } = description
  const isSwagger = root.swagger !== undefined
  const paths = follow(description, { value: root.paths, uri, at: "/paths" })
  if (!isObject(paths?.value)) return
  for (const [path, item] of Object.entries(paths.value)) {
    if (path.startsWith("x-")) continue
    const at = `/paths/${escapePointer(path)}`
    const pathItem = follow(description, { value: item, uri: paths.uri, at })
    if (!pathItem || !isObject(pathItem.value)) {
      complain("bad_path", at, "there are no operations here: left out")
      continue
    }
    for (const [method, operation] of methodsOf(pathItem.value)) {
      const located = follow(description, { value: operation, uri: pathItem.uri, at: `${pathItem.at}/${method}` })
      if (!located || !isObject(located.value)) {
        complain("bad_operation", `${at}/${method}`, "this is no operation: left out")
        continue
      }
      yield {
        description,
        isSwagger,
        method: method.toUpperCase(),
        path: path.startsWith("/") ? path : `/${path}`,
        pathItem: pathItem as Located & { value: JsonObject },
        operation: located as Located & { value: JsonObject },
        complain,
      }
    }
  }
}

/** 3.2 has any other method under `additionalOperations`. */
function methodsOf(item: JsonObject): [string, unknown][] {
  const usual = Object.entries(item).filter(([key]) => METHODS.includes(key.toLowerCase()))
  const others = isObject(item.additionalOperations) ? Object.entries(item.additionalOperations) : []
  return [...usual, ...others]
}

function reportDuplicates(sources: readonly SourceOperation[], complain: Complain): void {
  const seen = new Set<unknown>()
  for (const { operation } of sources) {
    const { operationId } = operation.value
    if (typeof operationId !== "string") continue
    if (seen.has(operationId)) complain("duplicate_operation_id", operation.at, `"${operationId}" is used before`)
    seen.add(operationId)
  }
}

/** The same fault in a shared part is told once. */
function createReport(): { complain: Complain; report: Repair[] } {
  const seen = new Set<string>()
  const report: Repair[] = []
  const complain: Complain = (code, at, message) => {
    const key = `${code} ${at}`
    if (seen.has(key) || report.length >= MAX_REPORT) return
    seen.add(key)
    report.push({ code, at, message })
  }
  return { complain, report }
}
