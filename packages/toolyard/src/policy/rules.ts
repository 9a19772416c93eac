/** Whether a tool may be called: the read-only guard, then the rules of `policy`. */

import type { Caller, ReadOnly } from "../model/caller.ts"
import type { Policy, PolicyAction, PolicyRule } from "../model/config.ts"
import { isObject } from "../model/json.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import { matchesGlob } from "./glob.ts"

export interface Verdict {
  action: PolicyAction | "read-only"
  /** Which rule or setting decided, in words for a message. */
  because: string
}

const ALLOWED_BY_DEFAULT: Verdict = { action: "allow", because: "policy.default is allow" }

/** The first rule that matches decides; `default` decides where none does. The guard can only take away. */
export function decide(
  policy: Policy,
  id: string,
  tool: ToolDefinition,
  caller: Caller,
  serverReadOnly: ReadOnly,
): Verdict {
  const guard =
    guardReadOnly(tool, serverReadOnly, "the server") ?? guardReadOnly(tool, caller.readOnly ?? false, "the caller")
  if (guard) return guard
  const index = policy.rules.findIndex(rule => matches(rule, id, tool, caller))
  const rule = policy.rules[index]
  if (rule) return { action: rule.do, because: `policy.rules[${index}] says ${rule.do}` }
  return policy.default === "allow"
    ? ALLOWED_BY_DEFAULT
    : { action: policy.default, because: `policy.default is ${policy.default}` }
}

function matches(rule: PolicyRule, id: string, tool: ToolDefinition, caller: Caller): boolean {
  if (rule.match && !rule.match.some(glob => matchesGlob(glob, id))) return false
  const { surface, startedFrom, client } = caller
  const isNamed = (glob: string): boolean =>
    [surface, startedFrom, client].some(name => name !== undefined && matchesGlob(glob, name))
  if (rule.caller && !rule.caller.some(isNamed)) return false
  const annotations = annotationsOf(tool)
  return Object.entries(rule.annotations ?? {}).every(([key, value]) => annotations[key] === value)
}

/** `true` refuses what says that it writes; `"strict"` also refuses what says nothing. */
function guardReadOnly(tool: ToolDefinition, readOnly: ReadOnly, who: string): Verdict | undefined {
  if (readOnly === false) return undefined
  const { readOnlyHint, destructiveHint } = annotationsOf(tool)
  const writes = readOnlyHint === false || destructiveHint === true
  const silent = readOnlyHint === undefined && destructiveHint === undefined
  if (writes) return { action: "read-only", because: `${who} is read-only and the tool says that it changes things` }
  if (readOnly === "strict" && silent)
    return {
      action: "read-only",
      because: `${who} is strictly read-only and the tool does not say that it changes nothing`,
    }
  return undefined
}

function annotationsOf(tool: ToolDefinition): Record<string, unknown> {
  return isObject(tool.annotations) ? tool.annotations : {}
}
