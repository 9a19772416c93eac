/** One tool from its plan: written, tried out, and sent back with what is wrong until it is right or hopeless. */
import * as z from "zod"
import { toYardError } from "../../../model/errors.ts"
import type { Model, PlannedTool, Progress } from "../model.ts"
import { type Finding, type Sample, type Verified, type VerifyDeps, verifyTool } from "../verify/verify-tool.ts"
import { toHandlerModule } from "./handler-text.ts"
import { INSTRUCTIONS, repairPrompt, writePrompt } from "./instructions.ts"

export interface MadeTool {
  tool: PlannedTool
  /** None when the model gave nothing at all. */
  code?: string
  /** `unproven`: served, though not everything could be shown to be right. */
  verdict: "verified" | "unproven" | "quarantined"
  reason?: string
  /** How often it was sent back. */
  repairs: number
  findings: Finding[]
  samples: Sample[]
}

export interface MakeDeps extends VerifyDeps {
  model: Model
  hosts: readonly string[]
  progress: Progress
}

const MAX_REPAIRS = 3
const Reply = z.object({ code: z.string().min(1).max(200_000).describe("The body of async (args, fetch) => { … }") })

interface Attempt extends Verified {
  code: string
}

export async function makeTool(tool: PlannedTool, deps: MakeDeps): Promise<MadeTool> {
  const { model, progress, hosts, pages, signal } = deps
  const ask = async (step: string, prompt: string): Promise<string> => {
    const { code } = await model.generate({ step, instructions: INSTRUCTIONS, prompt, schema: Reply, signal })
    return toHandlerModule(code, tool)
  }
  let best: Attempt | undefined
  let repairs = 0
  try {
    let attempt = await tryOut(await ask(`handler ${tool.name}`, writePrompt(tool, hosts, pages)))
    best = attempt
    while (wrongIn(attempt).length > 0 && repairs < MAX_REPAIRS) {
      const { code, samples } = attempt
      const findings = wrongIn(attempt)
      progress.step("repair", `${tool.name}: ${findings[0]?.message}`, { tool: tool.name, round: repairs + 1 })
      repairs++
      const prompt = repairPrompt(tool, hosts, pages, code, findings, samples)
      const next = await tryOut(await ask(`repair ${tool.name} ${repairs}`, prompt))
      if (weight(next) < weight(best)) best = next
      // It does not get any better.
      if (signatureOf(next) === signatureOf(attempt)) break
      attempt = next
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const { code, message } = toYardError(error)
    if (code !== "generation_failed") throw error
    if (!best) return { tool, verdict: "quarantined", reason: message, repairs, findings: [], samples: [] }
  }
  return { tool, repairs, ...verdictOf(best), ...best }

  async function tryOut(code: string): Promise<Attempt> {
    progress.step("verify", `${tool.name}: trying it out`, { tool: tool.name })
    return { code, ...(await verifyTool(tool, code, deps)) }
  }
}

function verdictOf({ findings }: Attempt): Pick<MadeTool, "verdict" | "reason"> {
  const fault = findings.find(({ severity }) => severity === "fault")
  if (fault) return { verdict: "quarantined", reason: `${fault.case}: ${fault.message}` }
  const rest = findings.find(({ severity }) => severity === "doubt") ?? findings[0]
  return rest ? { verdict: "unproven", reason: `${rest.case}: ${rest.message}` } : { verdict: "verified" }
}

/** One fault is worse than any number of doubts. */
function weight(attempt: Attempt): number {
  return wrongIn(attempt).reduce((sum, { severity }) => sum + (severity === "fault" ? 1000 : 1), 0)
}

function wrongIn({ findings }: Attempt): Finding[] {
  return findings.filter(({ severity }) => severity !== "note")
}

function signatureOf(attempt: Attempt): string {
  return JSON.stringify(wrongIn(attempt).map(({ case: name, message }) => [name, message.replace(/ \(line \d+\)/, "")]))
}
