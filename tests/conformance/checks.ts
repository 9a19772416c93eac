/** What the suite found, and how two such findings differ. No I/O. */

export interface Check {
  id: string
  name: string
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  errorMessage?: string
}

/** The checks of every scenario that ran. */
export type Findings = Map<string, Check[]>

export interface Difference {
  scenario: string
  check: string
  direct: string
  hub: string
  message: string
}

export interface Exception {
  client: string
  upstream: string
  scenario: string
  check?: string
  reason: string
}

export interface Comparison {
  /** How many checks passed directly and do so through the hub. */
  equal: number
  differences: Difference[]
  /** Differences that an exception explains. */
  excused: { difference: Difference; reason: string }[]
  /** Exceptions for this pairing that explain nothing. */
  stale: Exception[]
}

export const countOf = (findings: Findings, status: Check["status"]): number =>
  [...findings.values()].flat().filter(check => check.status === status).length

/** A scenario can use one id several times: the occurrences are told apart by name, then by order. */
function byOccurrence(checks: Check[]): Map<string, Check> {
  const seen = new Map<string, number>()
  return new Map(
    checks.map(check => {
      const label = `${check.id} (${check.name})`
      const count = (seen.get(label) ?? 0) + 1
      seen.set(label, count)
      return [count === 1 ? label : `${label} #${count}`, check]
    }),
  )
}

const isBad = (check: Check | undefined): boolean => check?.status === "FAILURE" || check?.status === "WARNING"

function differencesOf(scenario: string, direct: Check[], hub: Check[]): { equal: number; found: Difference[] } {
  const expected = byOccurrence(direct)
  const actual = byOccurrence(hub)
  const found: Difference[] = []
  let equal = 0
  for (const label of new Set([...expected.keys(), ...actual.keys()])) {
    const before = expected.get(label)
    const after = actual.get(label)
    const lost = before?.status === "SUCCESS" && after?.status !== "SUCCESS"
    const appeared = isBad(after) && !isBad(before)
    if (lost || appeared) {
      const statusOf = (check: Check | undefined) => check?.status ?? "not run"
      const message = after?.errorMessage ?? ""
      found.push({ scenario, check: label, direct: statusOf(before), hub: statusOf(after), message })
    } else if (before?.status === "SUCCESS") equal += 1
  }
  return { equal, found }
}

const covers = (exception: Exception, difference: Difference): boolean =>
  exception.scenario === difference.scenario &&
  (exception.check === undefined || difference.check.split(" ")[0] === exception.check)

/** Everything that holds directly has to hold through the hub, and nothing may go wrong that does not directly. */
export function compareFindings(direct: Findings, hub: Findings, exceptions: Exception[]): Comparison {
  const comparison: Comparison = { equal: 0, differences: [], excused: [], stale: [] }
  const used = new Set<Exception>()
  for (const scenario of new Set([...direct.keys(), ...hub.keys()])) {
    const { equal, found } = differencesOf(scenario, direct.get(scenario) ?? [], hub.get(scenario) ?? [])
    comparison.equal += equal
    for (const difference of found) {
      const exception = exceptions.find(one => covers(one, difference))
      if (exception) {
        used.add(exception)
        comparison.excused.push({ difference, reason: exception.reason })
      } else comparison.differences.push(difference)
    }
  }
  comparison.stale = exceptions.filter(one => !used.has(one) && direct.has(one.scenario))
  return comparison
}

/** The exceptions that speak of this pairing. */
export function exceptionsFor(all: Exception[], client: string, upstream: string): Exception[] {
  const fits = (pattern: string, value: string) => pattern === "*" || pattern === value
  return all.filter(one => fits(one.client, client) && fits(one.upstream, upstream))
}

/** The server scenarios a revision's requirement set names: those that count, and those that only run. */
export function scenariosOf(requirements: string): { scored: string[]; unscored: string[] } {
  const section = requirements.split(/^(?=\w+:)/m).find(part => part.startsWith("server:")) ?? ""
  const scored = [...section.matchAll(/^ {2}- (\S+)$/gm)].map(match => match[1] ?? "")
  const others = requirements.matchAll(/^ {2}- scenario: (\S+)\n {4}leg: server$/gm)
  return { scored, unscored: [...others].map(match => match[1] ?? "") }
}
