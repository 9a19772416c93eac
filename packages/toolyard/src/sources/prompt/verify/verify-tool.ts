/** Tries a handler out before it is served: in the sandbox, against an upstream that only it knows to be made up. */
import type { JsonObject } from "../../../model/json.ts"
import type { AllowList } from "../../../sandbox/fetch/allow-list.ts"
import type { Sandbox } from "../../../sandbox/sandbox.ts"
import { checkHandler } from "../generate/read-handler.ts"
import type { DocumentPage, PlannedTool } from "../model.ts"
import { type HandlerEnd, runHandler } from "../run/run-handler.ts"
import { readDocumentation } from "./documented.ts"
import { judgeAnswer, judgeFailure } from "./judge.ts"
import { sampleArguments } from "./sample.ts"
import { type Behaviour, createUpstream, type Exchange } from "./upstream.ts"

/**
 * Something that is wrong, or that could not be shown to be right. A fault keeps a tool from being served. A doubt is
 * worth a repair, but is no reason not to serve. A note is what nothing speaks for or against, since the answers were
 * made up: to repair that would be to guess.
 */
export interface Finding {
  case: string
  severity: "fault" | "doubt" | "note"
  message: string
}

/** One case as it was tried: kept, so that it can be tried again. */
export interface Sample {
  case: string
  args: JsonObject
  requests: Exchange[]
  outcome: { value: unknown } | { error: string }
}

export interface Verified {
  findings: Finding[]
  samples: Sample[]
}

export interface VerifyDeps {
  sandbox: Sandbox
  pages: readonly DocumentPage[]
  allow: AllowList
  signal: AbortSignal
}

interface Case {
  name: string
  behaviour: Behaviour
  args: JsonObject
}

/** Less than a real call may take: nothing here waits for anybody. */
const LIMITS = { timeoutMs: 10_000, cpuMs: 1500, maxCalls: 1000 }
const PARSES_JSON = /\.json\s*\(|\bJSON\s*\.\s*parse\b/
/** Has no meaning in a URL unless it is encoded. */
const ODD_TEXT = "a b&c?d=é"

export async function verifyTool(tool: PlannedTool, code: string, deps: VerifyDeps): Promise<Verified> {
  const read = checkHandler(code, tool, deps.allow)
  if (!read.ok) {
    return { findings: read.problems.map(message => ({ case: "static", severity: "fault", message })), samples: [] }
  }
  const { script } = read
  const documentation = readDocumentation(deps.pages)
  const tried = await Promise.all(
    casesOf(tool, code).map(async ({ name, behaviour, args }) => {
      const upstream = createUpstream({ tool, args, behaviour, documentation, allow: deps.allow })
      const run = { script, args, limits: LIMITS, signal: deps.signal, fetch: upstream.fetch }
      const end = await runHandler(deps.sandbox, run)
      const judged =
        behaviour === "answers"
          ? judgeAnswer(tool, name, args, end, upstream.exchanges)
          : judgeFailure(behaviour, code, end, upstream.exchanges)
      const findings = judged.map((finding): Finding => ({ case: name, ...finding }))
      const sample: Sample = { case: name, args, requests: upstream.exchanges, outcome: toOutcome(end) }
      return { findings, sample }
    }),
  )
  return { findings: tried.flatMap(({ findings }) => findings), samples: tried.map(({ sample }) => sample) }
}

function casesOf(tool: PlannedTool, code: string): Case[] {
  const all = sampleArguments(tool.inputSchema, { all: true })
  const required = sampleArguments(tool.inputSchema, { all: false })
  const odd = sampleArguments(tool.inputSchema, { all: true, text: ODD_TEXT })
  const cases: Case[] = [{ name: "all arguments", behaviour: "answers", args: all }]
  const add = (name: string, args: JsonObject): void => {
    if (cases.some(known => JSON.stringify(known.args) === JSON.stringify(args))) return
    cases.push({ name, behaviour: "answers", args })
  }
  add("required arguments only", required)
  if (!tool.needsNetwork) return cases
  add("odd text", odd)
  const failures: [string, Behaviour][] = [
    ["upstream answers 404", "404"],
    ["upstream answers 500", "500"],
    // There are APIs that speak XML, or plain text.
    ...(PARSES_JSON.test(code) ? [["upstream does not answer with JSON", "not-json"] as [string, Behaviour]] : []),
    ["upstream does not answer in time", "timeout"],
  ]
  return [...cases, ...failures.map(([name, behaviour]) => ({ name, behaviour, args: all }))]
}

function toOutcome(end: HandlerEnd): Sample["outcome"] {
  return end.how === "value"
    ? { value: end.value ?? null }
    : { error: end.name ? `${end.name}: ${end.message}` : end.message }
}
