/** A description's text as tools, with all that it refers to. Runs in a thread of its own. */
import { hash } from "node:crypto"
import { isObject } from "../../model/json.ts"
import { allowList } from "../../sandbox/fetch/allow-list.ts"
import { toOperations } from "./convert/operations.ts"
import { MISSING, type OpenApiJob, type OpenApiTools, REFUSED } from "./job.ts"
import type { OperationTool } from "./operation.ts"
import { type Load, loadReferences, readDescription } from "./read/description.ts"
import { readProjectFile } from "./read/project-files.ts"
import { hasPages, withPages } from "./wire/pages.ts"

export type { OpenApiTools }

const PART_TIMEOUT_MS = 15_000
const PART_BYTES = 16 * 1024 * 1024
const MAX_ABOUT = 500
const ADD_TO = "`network` of this server in toolyard.json"

export async function convertOpenApi(job: OpenApiJob): Promise<OpenApiTools> {
  const description = readDescription(new TextDecoder().decode(job.bytes), job.where)
  const parts: OpenApiTools["parts"] = []
  const load = createLoad(job)
  await loadReferences(description, async uri => {
    const part = { uri, hash: REFUSED }
    parts.push(part)
    try {
      const text = await load(uri)
      part.hash = hash("sha256", text)
      return text
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") part.hash = MISSING
      throw error
    }
  })
  const { include, exclude } = job
  const { tools, report } = toOperations(description, { include, exclude })
  const info = isObject(description.root.info) ? description.root.info : {}
  return {
    tools: tools.map(withPagesIfAny),
    report,
    parts,
    ...(typeof info.title === "string" && { title: info.title.slice(0, MAX_ABOUT) }),
    ...(info.version !== undefined && { version: String(info.version).slice(0, MAX_ABOUT) }),
    ...(typeof info.description === "string" && { about: info.description.slice(0, MAX_ABOUT) }),
  }
}

function createLoad({ root, hosts }: OpenApiJob): Load {
  const allow = allowList(hosts, ADD_TO)
  return async uri => {
    if (uri.startsWith("file:")) return readProjectFile(root, uri)
    // Most descriptions are whole, and this takes as long to load as they take to convert.
    const { createGuardedFetch } = await import("../../sandbox/fetch/guarded-fetch.ts")
    const fetcher = createGuardedFetch({ timeoutMs: PART_TIMEOUT_MS, maxBytes: PART_BYTES })
    const { status, body } = await fetcher.fetch({ url: uri }, allow, new AbortController().signal)
    if (status !== 200 || !("text" in body)) throw new Error(`${uri} gave ${status}`)
    return body.text
  }
}

function withPagesIfAny(tool: OperationTool): OperationTool {
  return hasPages(tool.operation) ? { ...tool, definition: withPages(tool.definition) } : tool
}
