/** One call of a tool: arguments checked, the function called, its value made a result. It never fails: it says so. */
import type { JsonObject } from "../../../model/json.ts"
import { textBlock } from "./blocks.ts"
import { collect } from "./collect.ts"
import { createContext, type Surroundings } from "./context.ts"
import { toErrorResult } from "./failure.ts"
import { toJsonValue } from "./json-value.ts"
import type { Places } from "./places.ts"
import { isResult, print, toResult } from "./result.ts"
import { validate } from "./standard-schema.ts"
import type { HostedTool } from "./tools.ts"
import type { Request } from "./wire.ts"

/** How much of an item is shown as progress. */
const SHOWN_CHARACTERS = 2000

export async function callTool(
  tool: HostedTool,
  request: Request,
  around: Surroundings,
  places: Places,
): Promise<JsonObject> {
  try {
    return print(await around.strays.during(() => run(tool, request, around, places)))
  } catch (error) {
    return explain(error, places)
  }
}

function explain(error: unknown, places: Places): JsonObject {
  try {
    return print(toErrorResult(error, places))
  } catch {
    // It throws when it is looked at, or is larger than any error has a right to be.
    return { isError: true, content: [textBlock("the tool threw something that cannot be shown")] }
  }
}

async function run(
  { definition, wrapped, input, output, run }: HostedTool,
  request: Request,
  around: Surroundings,
  places: Places,
): Promise<JsonObject> {
  const given = request.params.arguments ?? {}
  const args = input ? await validate(input, given, "the arguments do not fit") : given
  const context = createContext(request, around)
  const collected = await collect(await run(args, context), request.signal, (item, count) => {
    context.progress(count, undefined, show(item))
  })
  if (collected.value instanceof Error) return toErrorResult(collected.value, places)
  if (output && !isResult(collected.value, true))
    collected.value = await validate(output, collected.value, "the result does not fit the tool's own output schema")
  return toResult(collected, { hasSchema: definition.outputSchema !== undefined, wrapped })
}

function show(item: unknown): string {
  const text = typeof item === "string" ? item : (JSON.stringify(toJsonValue(item)) ?? "")
  return text.slice(0, SHOWN_CHARACTERS)
}
