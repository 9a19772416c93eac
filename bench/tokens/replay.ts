/**
 * Replays one task in every arm, at equal behaviour: the same tools, called with the same arguments, give the same
 * results. What differs is what an agent must read and write for it.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { toolId } from "../../packages/toolyard/src/catalog/naming.ts"
import { type Account, type Turn, toAccount } from "./account.ts"
import type { Answer, Definition, Hub } from "./hub.ts"
import { plausible } from "./plausible.ts"
import type { Task, ToolRef } from "./yards.ts"

export const ARMS = ["direct", "parallel direct", "search, no code", "code mode", "auto"] as const
export type Arm = (typeof ARMS)[number]

const SYSTEM = "You are a helpful agent. Use the tools you are given to do what the user asks, then answer briefly."
const ANSWER = countTokens(
  "Done. I looked up what you asked for, took the entries that matched, and made the change. The details are in the " +
    "result above; tell me if you want any of it undone or done differently.",
)
/** What an agent needs besides `search` where it can't write code. */
const CALL_TOOL: Definition = {
  name: "call",
  description: "Calls a tool that search has found.",
  inputSchema: {
    type: "object",
    properties: { tool: { type: "string" }, arguments: { type: "object" } },
    required: ["tool", "arguments"],
  },
}

/** What a yard offers in each way, the parts of a definition that a model is given. */
export interface Offers {
  direct: Definition[]
  code?: Definition[]
  auto: Definition[]
}

export const definitionTokens = (tools: Definition[]): number =>
  countTokens(JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))))

/** A tool by the name that scripts call it by. */
export type PathOf = (ref: ToolRef) => string

export interface Replay {
  accounts: Partial<Record<Arm, Account>>
  /** What did not go as it should. */
  problems: string[]
}

interface Done extends ToolRef {
  args: unknown
  /** What the model reads of it. */
  back: number
}

/** `isClumsy`: the first script has a typo, so that the check's answer and a second script are paid for as well. */
export async function replay(task: Task, hub: Hub, offers: Offers, pathOf: PathOf, isClumsy: boolean): Promise<Replay> {
  const problems: string[] = []
  const note = (what: string, { text, isError }: Answer): void => {
    if (isError) problems.push(`${what}: ${text.slice(0, 200)}`)
  }
  const start = (tools: Definition[]): number => countTokens(SYSTEM) + definitionTokens(tools) + countTokens(task.text)
  const end: Turn = { out: ANSWER, back: 0 }

  const calls: Done[] = []
  for (const ref of task.tools) {
    const args = plausible(ref.tool.inputSchema ?? { type: "object" })
    const answer = await hub.call("/mcp/all", toolId(ref.server, ref.tool.name), args)
    note(ref.tool.name, answer)
    calls.push({ ...ref, args, back: countTokens(answer.text) })
  }
  const stages = toStages(calls)
  const direct = (done: Done): number => written(toolId(done.server, done.tool.name), done.args)
  const generic = (done: Done): number =>
    written("call", { tool: toolId(done.server, done.tool.name), arguments: done.args })

  const accounts: Replay["accounts"] = {
    direct: toAccount(start(offers.direct), [...calls.map(one => toTurn([one], direct)), end]),
    "parallel direct": toAccount(start(offers.direct), [...stages.map(stage => toTurn(stage, direct)), end]),
  }
  const { code } = offers
  if (code) {
    const search = code.find(({ name }) => name === "search")
    const execute = code.find(({ name }) => name === "execute")
    if (!search || !execute) throw new Error("/mcp/code offers no search or no execute")
    const searched = await searchFor(task, hub, pathOf, [], problems)
    accounts["search, no code"] = toAccount(start([search, CALL_TOOL]), [
      ...searched,
      ...stages.map(stage => toTurn(stage, generic)),
      end,
    ])
    const known = task.tools.filter(ref => shows(execute.description ?? "", pathOf(ref)))
    const turns = await searchFor(task, hub, pathOf, known, problems)
    const script = toScript(stages, pathOf)
    if (isClumsy) {
      const typo = script.replace(/\(\{|\(\)/, "Typo$&")
      const refused = await hub.call("/mcp/code", "execute", { code: typo })
      if (!refused.isError) problems.push("a script with a typo was not refused")
      turns.push({ out: written("execute", { code: typo }), back: countTokens(refused.text) })
    }
    const ran = await hub.call("/mcp/code", "execute", { code: script })
    note(script, ran)
    turns.push({ out: written("execute", { code: script }), back: countTokens(ran.text) })
    accounts["code mode"] = toAccount(start(code), [...turns, end])
  }
  const auto = offers.auto.some(({ name }) => name === "execute") ? "code mode" : "parallel direct"
  if (accounts[auto]) accounts.auto = accounts[auto]
  return { accounts, problems }
}

const written = (name: string, args: unknown): number => countTokens(JSON.stringify({ name, arguments: args }))

const toTurn = (stage: Done[], out: (done: Done) => number): Turn => ({
  out: stage.reduce((sum, done) => sum + out(done), 0),
  back: stage.reduce((sum, done) => sum + done.back, 0),
})

const READS = /^(?:\w+[_-])?(get|list|search|find|read|fetch|query|lookup|describe|show|check)(?![a-z])/i

/** Calls that only read may go together; one that writes needs what came before it. */
export function toStages<T extends ToolRef>(calls: T[]): T[][] {
  const stages: { reads: boolean; calls: T[] }[] = []
  for (const call of calls) {
    const reads = READS.test(call.tool.name)
    const last = stages.at(-1)
    if (reads && last?.reads) last.calls.push(call)
    else stages.push({ reads, calls: [call] })
  }
  return stages.map(stage => stage.calls)
}

/** Searches as the agent did until each tool was found; for one never found, it asks by the tool's own name. */
async function searchFor(task: Task, hub: Hub, pathOf: PathOf, known: ToolRef[], problems: string[]): Promise<Turn[]> {
  const turns: Turn[] = []
  let missing = task.tools.filter(ref => !known.includes(ref))
  const search = async (query: string): Promise<void> => {
    const { text } = await hub.call("/mcp/code", "search", { query })
    turns.push({ out: written("search", { query }), back: countTokens(text) })
    missing = missing.filter(ref => !shows(text, pathOf(ref)))
  }
  for (const query of task.queries) if (missing.length > 0) await search(query)
  for (const { server, tool } of [...missing]) {
    if (missing.some(ref => ref.tool === tool)) await search(`${server} ${tool.name}`.replaceAll(/[_-]/g, " "))
  }
  for (const ref of missing) problems.push(`no search found ${pathOf(ref)}`)
  return turns
}

/**
 * Whether a text shows a tool's whole signature. A catalog that is cut down to the names of tools and parameters does
 * not: an agent that wants to know the types has to search, so it is charged for that.
 */
const shows = (text: string, path: string): boolean => text.includes(`${path}(`)

/** Data passes from call to call inside; what comes out is what the last stage gave. */
function toScript(stages: Done[][], pathOf: PathOf): string {
  const call = (done: Done): string => {
    const args = JSON.stringify(done.args)
    return `${pathOf(done)}(${args === "{}" ? "" : args})`
  }
  const lines = stages.map((stage, at) => {
    const value =
      stage.length === 1 ? `await ${call(stage[0]!)}` : `await Promise.all([\n  ${stage.map(call).join(",\n  ")},\n])`
    return at === stages.length - 1 ? `return ${value}` : `const r${at + 1} = ${value}`
  })
  return lines.join("\n")
}
