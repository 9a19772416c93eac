/** All tools of a plan, a few at a time. */
import { YardError } from "../../../model/errors.ts"
import type { Plan } from "../model.ts"
import { type MadeTool, type MakeDeps, makeTool } from "./make-tool.ts"

const AT_ONCE = 4

/** In the order of the plan. Throws when not one of them can be served. */
export async function makeTools(plan: Plan, deps: MakeDeps): Promise<MadeTool[]> {
  const { tools } = plan
  const made: MadeTool[] = []
  let [next, done] = [0, 0]
  deps.progress.step("generate", `writing ${tools.length} handlers`, { done, of: tools.length })
  const work = async (): Promise<void> => {
    while (next < tools.length) {
      const at = next++
      const tool = tools[at]
      if (!tool) return
      made[at] = await makeTool(tool, deps)
      const { verdict, reason } = made[at]
      const said = `${tool.name} is ${verdict}${reason === undefined ? "" : ` (${reason})`}`
      deps.progress.step("generate", `${++done} of ${tools.length} handlers: ${said}`, {
        tool: tool.name,
        verdict,
        done,
        of: tools.length,
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, tools.length) }, work))
  if (made.every(({ verdict }) => verdict === "quarantined")) {
    const reasons = made.map(({ tool, reason }) => `${tool.name}: ${reason}`)
    throw new YardError("generation_failed", `no tool could be made to work: ${reasons.join("; ")}`, {
      data: { reasons },
    })
  }
  return made
}
