/** The summaries and the verdict, for people. */
import { COLUMNS } from "./columns.ts"
import { bestPeer, type Goal, judge, type Summary, timesBetter } from "./summary.ts"
import { toDigits, toTable } from "./table.ts"

export function print(summaries: Summary[]): string {
  const goals = judge(summaries)
  const parts = [
    summaries.map(({ name, how }) => `${name}: ${how}.`).join("\n"),
    "p50, ms; the rate in runs per second. A further call: (100 calls − no call) / 100.",
    toTable(
      ["", ...COLUMNS.map(({ title }) => title), "a further call"],
      summaries.map(({ name, figures, perCall }) => [
        name,
        ...COLUMNS.map(({ id }) => toDigits(figures[id]?.value)),
        perCall?.toFixed(3) ?? "–",
      ]),
    ),
    "p10, ms",
    toTable(
      ["", ...COLUMNS.filter(({ pace }) => pace === "together").map(({ title }) => title)],
      summaries.map(({ name, figures }) => [
        name,
        ...COLUMNS.filter(({ pace }) => pace === "together").map(({ id }) => toDigits(figures[id]?.p10)),
      ]),
    ),
  ]
  const ours = summaries.filter(({ role }) => role === "toolyard")
  if (ours.length > 0) parts.push("Times better than the best peer, and than executor", ratioTable(ours, summaries))
  if (goals.length > 0) parts.push("Goals", goalTable(goals))
  else parts.push("Goals for toolyard, which took no part", targetTable(summaries))
  return parts.join("\n\n")
}

function ratioTable(ours: Summary[], summaries: Summary[]): string {
  const executor = summaries.find(({ name }) => name === "executor")
  const rows = ours.flatMap(our =>
    [
      { against: "best peer", other: (id: string) => bestPeer(COLUMNS.find(column => column.id === id)!, summaries) },
      { against: "executor", other: () => executor },
    ].map(({ against, other }) => [
      `${our.name} ÷ ${against}`,
      ...COLUMNS.map(column => {
        const mine = our.figures[column.id]?.value
        const theirs = other(column.id)?.figures[column.id]?.value
        return mine === undefined || theirs === undefined ? "–" : `${toDigits(timesBetter(column, mine, theirs))}×`
      }),
    ]),
  )
  return toTable(["", ...COLUMNS.map(({ title }) => title)], rows)
}

function goalTable(goals: Goal[]): string {
  return toTable(
    ["", "column", "toolyard", "against", "which has", "times better", "want", ""],
    goals.map(goal => [
      goal.contestant,
      goal.column,
      toDigits(goal.value),
      goal.against,
      toDigits(goal.theirs),
      toDigits(goal.times),
      `≥ ${goal.want}`,
      goal.reached ? "PASS" : "FAIL",
    ]),
  )
}

function targetTable(summaries: Summary[]): string {
  return toTable(
    ["column", "best peer", "which has", "so reach"],
    COLUMNS.flatMap(column => {
      const best = bestPeer(column, summaries)
      const value = best?.figures[column.id]?.value
      if (!best || value === undefined) return []
      return [[column.title, best.name, toDigits(value), toDigits(column.unit === "/s" ? value * 2 : value)]]
    }),
  )
}
