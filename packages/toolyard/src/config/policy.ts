/** The `policy` section of one file. What can't be read never makes more possible: it denies. */
import type { Policy, PolicyAction, PolicyRule } from "../model/config.ts"
import { isObject } from "../model/json.ts"
import { check, kindOf, reportUnknown } from "./check.ts"
import type { Path } from "./document.ts"
import { expandValue } from "./expand.ts"
import { type Report, reportMissing } from "./report.ts"
import { ACTION, ASK_TIMEOUT, RULE } from "./schema.ts"

export interface PolicyPart {
  default?: PolicyAction
  rules: PolicyRule[]
  askTimeoutMs?: number
}

const DENY_ALL: PolicyRule = { do: "deny" }
const PATH = ["policy"]
const KEYS = ["default", "rules", "askTimeoutMs"]
const ASK_TIMEOUT_MS = 600_000

export function toPolicy(raw: unknown, env: NodeJS.ProcessEnv, report: Report): PolicyPart {
  const { value, missing } = expandValue(raw, env, PATH)
  if (missing.length > 0) reportMissing(missing, report)
  const closed = (key: string[], expected: string, part: unknown): PolicyPart => {
    const message = `\`${key.at(-1)}\` must be ${expected}, not ${kindOf(part)}; until then every call is denied`
    report.error({ path: key, message, fix: `Write ${expected}.` })
    return { rules: [DENY_ALL] }
  }
  if (!isObject(value)) return closed(PATH, "an object", value)
  const { default: fallback, rules = [], askTimeoutMs, ...unknown } = value
  for (const key of Object.keys(unknown)) reportUnknown(report, PATH, key, KEYS)
  if (!Array.isArray(rules)) return closed([...PATH, "rules"], "an array", rules)

  const unset = (index: number): boolean => missing.some(({ path }) => path[1] === "rules" && path[2] === index)
  const part: PolicyPart = {
    rules: rules.flatMap((rule, index) => toRule(rule, [...PATH, "rules", index], unset(index), report)),
  }
  const waits = check(ASK_TIMEOUT, askTimeoutMs, [...PATH, "askTimeoutMs"], report)
  if ("data" in waits && waits.data !== undefined) part.askTimeoutMs = waits.data
  if (fallback === undefined) return part
  const checked = check(ACTION, fallback, [...PATH, "default"], report)
  return { ...part, default: "data" in checked ? checked.data : "deny" }
}

/** An allowance that can't be read is left out; any other such rule denies what it may have been about. */
function toRule(raw: unknown, path: Path, unset: boolean, report: Report): PolicyRule[] {
  // A misspelt condition would make the rule about more than was meant, so here an unknown key is an error.
  const strict: Report = { ...report, warning: report.error }
  const written = isObject(raw) ? Object.keys(raw).length : 0
  const checked = check(RULE, raw, path, strict)
  const whole = !unset && isObject(raw) && Object.keys(raw).length === written
  if ("data" in checked && whole) {
    const { match, annotations, caller, do: action } = checked.data
    const conditions = {
      ...(match !== undefined && { match: [match].flat() }),
      ...(annotations && { annotations }),
      ...(caller !== undefined && { caller: [caller].flat() }),
    }
    return [{ ...conditions, do: action }]
  }
  if (isObject(raw) && raw.do === "allow") return []
  const match = isObject(raw) && whole ? RULE.shape.match.safeParse(raw.match) : undefined
  return [match?.data === undefined ? DENY_ALL : { match: [match.data].flat(), do: "deny" }]
}

/** The more important part first: its rules are asked first, and its default and its time count. */
export function mergePolicies(parts: PolicyPart[]): Policy {
  const fallback = parts.map(part => part.default).find(action => action !== undefined)
  const waits = parts.map(part => part.askTimeoutMs).find(ms => ms !== undefined)
  return {
    default: fallback ?? "allow",
    rules: parts.flatMap(part => part.rules),
    askTimeoutMs: waits ?? ASK_TIMEOUT_MS,
  }
}
