/** From a prompt and its documentation to a plan that has been checked. */
import { YardError } from "../../../model/errors.ts"
import type { Gathered, Model, Plan, Progress } from "../model.ts"
import { checkPlan } from "./check-plan.ts"
import { correctionPrompt, INSTRUCTIONS, planPrompt } from "./instructions.ts"
import { planSchema } from "./schema.ts"

/** A model that has been told twice what is wrong will not find it the third time. */
const ROUNDS = 3
const MAX_PROBLEMS = 20

export async function makePlan(
  model: Model,
  prompt: string,
  gathered: Gathered,
  progress: Pick<Progress, "step">,
  signal?: AbortSignal,
): Promise<Plan> {
  const asked = planPrompt(prompt, gathered)
  let question = asked
  let problems: string[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    progress.step("plan", `asking ${model.name} for a plan`, { round })
    const raw = await model.generate({
      step: "plan",
      instructions: INSTRUCTIONS,
      prompt: question,
      schema: planSchema,
      ...(signal && { signal }),
    })
    const checked = await checkPlan(raw, gathered.whitelist)
    if ("plan" in checked) return checked.plan
    problems = checked.problems.slice(0, MAX_PROBLEMS)
    progress.step("plan", `the plan can't be used: ${problems.join("; ")}`, { problems })
    question = correctionPrompt(asked, raw, problems)
  }
  throw new YardError("generation_failed", `${model.name} made no plan that can be used: ${problems.join("; ")}`, {
    hint: "Say more in the prompt: what the tools are for, and where the documentation is.",
    data: { problems },
  })
}
