/** How a script ended, in words for whoever wrote it. */
import { ERRORS, type ErrorCode, YardError } from "../../model/errors.ts"
import type { RunError, RunLimits } from "../../model/run.ts"
import type { SandboxEnd } from "../../sandbox/sandbox.ts"
import { originalPosition, type PreparedScript } from "../../sandbox/typescript/prepare.ts"

export function toRunError(error: YardError): RunError {
  const { code, message, hint, data } = error
  return { code, message, hint, ...(data !== undefined && { data }) }
}

/** What a script threw: `{ name, message, stack, tool? }`, made by the script's own world and not to be trusted. */
interface Thrown {
  name?: unknown
  message?: unknown
  stack?: unknown
  tool?: [unknown, unknown, unknown, unknown]
}

/** `end` of a run that was not told to stop by us. */
export function errorOf(end: SandboxEnd, script: PreparedScript, limits: RunLimits): RunError {
  if (end.how === "crashed") return toRunError(new YardError("sandbox_crashed", end.message))
  if (end.how === "stopped") return stoppedBy(end.reason, limits)
  if (end.how === "value") throw new Error("a value is no error")
  const thrown = JSON.parse(end.json) as Thrown
  const message = text(thrown.message)
  const name = text(thrown.name)
  if (name === "InternalError" && message === "out of memory") return stoppedBy("limit_memory", limits)
  const [, , code, data] = thrown.tool ?? []
  const known = typeof code === "string" ? code : "script_error"
  return {
    code: known,
    message: thrown.tool || name === "" || name === "Stuck" ? message : `${name}: ${message}`,
    ...(Object.hasOwn(ERRORS, known) && { hint: ERRORS[known as ErrorCode].hint }),
    ...(data !== undefined && data !== null && { data }),
    ...placeOf(text(thrown.stack), script),
  }
}

function stoppedBy(reason: string, limits: RunLimits): RunError {
  const said = (code: ErrorCode, message: string, key?: keyof RunLimits): RunError =>
    toRunError(new YardError(code, message, key && { data: { limit: key, value: limits[key] } }))
  switch (reason) {
    case "limit_cpu":
      return said("limit_cpu", `the script computed for more than ${limits.cpuMs} ms`, "cpuMs")
    case "limit_memory":
    case "memory":
      return said("limit_memory", `the script needed more than ${limits.memoryMb} MB of memory`, "memoryMb")
    case "limit_logs":
      return said("limit_logs", `the script logged more than ${limits.maxLogBytes} bytes`, "maxLogBytes")
    case "limit_result":
      return said("limit_result", `the script's value has more than ${limits.maxResultBytes} bytes`, "maxResultBytes")
    case "stack":
      return said("script_error", "RangeError: the script called itself, or nested its values, too deeply")
    default:
      return said("sandbox_crashed", `the script broke its virtual machine (${reason || "no reason is known"})`)
  }
}

/** The first place in the script itself, and the stack with no frame but the script's. */
function placeOf(stack: string, script: PreparedScript): Pick<RunError, "line" | "column" | "stack"> {
  if (!script.ok) return {}
  const frames: string[] = []
  let first: { line: number; column: number } | undefined
  for (const line of stack.split("\n")) {
    const found = /^\s*at (.*?) ?\(?script:(\d+):(\d+)\)?$/.exec(line)
    if (!found) continue
    const place = originalPosition(script, { line: Number(found[2]), column: Number(found[3]) })
    if (!place) continue
    first ??= place
    const name = found[1] === "<anonymous>" ? "" : `${found[1]} `
    frames.push(`    at ${name}script.ts:${place.line}:${place.column}`)
  }
  return first ? { line: first.line, column: first.column, stack: frames.join("\n") } : {}
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")
