/** Prints the summaries and the verdict for people. */
import { type Goal, judge, type SizeSummary, type Summary, targets } from "./summary.ts"

export function toTables(summaries: Summary[]): string {
  const goals = judge(summaries)
  const parts = [
    "Small results (latency in ms at concurrency 1; CPU is the gateway's, ms per call)",
    toTable(
      ["", ...SIZE_COLUMNS, "RSS MB idle", "after"],
      summaries.map(one => [one.name, ...sizeCells(one.small), round(one.rssIdleMb, 0), round(one.rssAfterMb, 0)]),
    ),
    "100 KB results",
    toTable(
      ["", ...SIZE_COLUMNS],
      summaries.map(one => [one.name, ...sizeCells(one.big)]),
    ),
  ]
  if (goals.length > 0) parts.push("Goals: toolyard against the best peer", goalTable(goals))
  else if (summaries.some(one => one.role === "peer"))
    parts.push("Goals for toolyard, which took no part", targetTable(summaries))
  return parts.join("\n\n")
}

const SIZE_COLUMNS = ["p50", "p90", "p99", "added", "calls/s @1", "@8", "@32", "CPU @1", "CPU @32"]

function sizeCells({ p50, p90, p99, added, rate, cpu }: SizeSummary): string[] {
  return [
    ...[p50, p90, p99, added].map(value => round(value, 3)),
    ...[rate[1], rate[8], rate[32]].map(value => round(value, 0)),
    ...[cpu[1], cpu[32]].map(value => round(value, 3)),
  ]
}

function goalTable(goals: Goal[]): string {
  return toTable(
    ["", "goal", "toolyard", "best peer", "its value", "ratio", "want", ""],
    goals.map(goal => [
      goal.contestant,
      goal.name,
      number(goal.value),
      goal.bestPeer,
      number(goal.peerValue),
      goal.ratio.toFixed(2),
      goal.want,
      goal.reached ? "PASS" : "FAIL",
    ]),
  )
}

function targetTable(summaries: Summary[]): string {
  return toTable(
    ["", "want", "best peer", "which is"],
    targets(summaries).map(({ name, want, bestPeer, limit }) => [name, want, bestPeer, number(limit)]),
  )
}

const round = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? "–"
const number = (value: number): string => value.toFixed(value < 100 ? 3 : 0)

function toTable(header: string[], rows: string[][]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  // Words to the left, numbers to the right.
  const isNumber = header.map((_, column) => rows.every(row => /^[\d.–-]+$/.test(row[column]!)))
  const toLine = (line: string[]): string =>
    line
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
  return [toLine(header), widths.map(width => "─".repeat(width)).join("  "), ...rows.map(toLine)]
    .map(line => line.trimEnd())
    .join("\n")
}
