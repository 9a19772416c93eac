/** The catalog's tools as an agent loop wants them: what may be called, in an order that stays, each ready to run. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { CatalogTool } from "../../catalog/member.ts"
import type { Caller } from "../../model/caller.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"
import { matchesGlob } from "../../policy/glob.ts"
import type { Blobs } from "../../state/types.ts"
import { stricter } from "./stricter.ts"
import { failedOutput, type ToolOutput, toOutput } from "./tool-output.ts"
import type { CallOptions, LibraryTool, ToolsOptions } from "./types.ts"

type CallRaw = (tool: string, args: JsonObject, options: CallOptions) => Promise<ToolResult>

export function createTools(
  { catalog, blobs, caller }: { catalog: Catalog; blobs: Blobs; caller: Caller },
  callRaw: CallRaw,
): (options?: ToolsOptions) => LibraryTool[] {
  /** The place that each tool was given when it was first seen: a model's cache holds as long as the list only grows. */
  const places = new Map<string, number>()

  return (options = {}) => {
    const { servers, include, exclude, maxTokens, ...ways } = options
    const readOnly = stricter(caller.readOnly, options.readOnly)
    const asked: Caller = { ...caller, ...(readOnly !== undefined && { readOnly }) }
    const known = catalog.tools()
    for (const { id } of known) if (!places.has(id)) places.set(id, places.size)
    const placeOf = ({ id }: CatalogTool): number => places.get(id) as number
    return known
      .filter(tool => catalog.isCallable(tool, asked))
      .filter(({ member }) => !servers || servers.includes(member.name))
      .filter(({ id }) => include === undefined || matches(include, id))
      .filter(({ id }) => exclude === undefined || !matches(exclude, id))
      .sort((one, other) => placeOf(one) - placeOf(other))
      .map(tool => toLibraryTool(tool, (input, own = {}) => execute(tool.id, input, joined(ways, own), maxTokens)))
  }

  async function execute(
    id: string,
    input: unknown,
    options: CallOptions,
    maxTokens: number | undefined,
  ): Promise<ToolOutput> {
    try {
      if (!isObject(input)) throw new YardError("invalid_arguments", `the arguments of ${id} must be an object`)
      return await toOutput(await callRaw(id, input, options), { blobs, maxTokens })
    } catch (error) {
      // The program wants to leave its loop, which no answer for the model would let it do.
      if (options.signal?.aborted) throw error
      return failedOutput(toYardError(error))
    }
  }
}

function matches(globs: string | readonly string[], id: string): boolean {
  return (typeof globs === "string" ? [globs] : globs).some(glob => matchesGlob(glob, id))
}

/** What holds for all calls and what holds for this one; neither can widen the other. */
function joined(all: CallOptions, own: CallOptions): CallOptions {
  const readOnly = stricter(all.readOnly, own.readOnly)
  const signals = [all.signal, own.signal].filter(signal => signal !== undefined)
  return {
    ...all,
    ...own,
    ...(readOnly !== undefined && { readOnly }),
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
  }
}

function toLibraryTool(
  { id, member, name, definition }: CatalogTool,
  execute: (input: unknown, options?: CallOptions) => Promise<ToolOutput>,
): LibraryTool {
  const { title, description, inputSchema, outputSchema, annotations } = definition
  return {
    id,
    server: member.name,
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    inputSchema: isObject(inputSchema) ? inputSchema : { type: "object" },
    ...(isObject(outputSchema) && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
    execute: (input = {}, options) => execute(input, options),
  }
}
