import { describe, expect, it } from "vitest"
import { type Check, compareFindings, type Exception, exceptionsFor, type Findings, scenariosOf } from "./checks.ts"

const check = (id: string, status: Check["status"], errorMessage?: string): Check => ({
  id,
  name: id.toUpperCase(),
  status,
  ...(errorMessage !== undefined && { errorMessage }),
})
const findings = (...checks: Check[]): Findings => new Map([["scenario", checks]])
const exception: Exception = { client: "*", upstream: "stdio-legacy", scenario: "scenario", check: "a", reason: "why" }

describe("comparing what the suite found directly and through the hub", () => {
  it("counts what passes both ways", () => {
    const both = findings(check("a", "SUCCESS"), check("b", "SUCCESS"), check("c", "INFO"))
    expect(compareFindings(both, both, [])).toEqual({ equal: 2, differences: [], excused: [], stale: [] })
  })

  it("reports every way to lose a success: failed, warned of, skipped, merely noted, never run", () => {
    for (const status of ["FAILURE", "WARNING", "SKIPPED", "INFO"] as const) {
      const { differences } = compareFindings(findings(check("a", "SUCCESS")), findings(check("a", status, "oh")), [])
      expect(differences).toEqual([
        { scenario: "scenario", check: "a (A)", direct: "SUCCESS", hub: status, message: "oh" },
      ])
    }
    const { differences } = compareFindings(findings(check("a", "SUCCESS")), new Map(), [])
    expect(differences).toMatchObject([{ direct: "SUCCESS", hub: "not run" }])
  })

  it("reports what goes wrong through the hub only, even where nothing passed directly", () => {
    const { differences } = compareFindings(findings(check("a", "INFO")), findings(check("b", "FAILURE")), [])
    expect(differences).toMatchObject([{ check: "b (B)", direct: "not run", hub: "FAILURE" }])
  })

  it("does not ask of the hub what the fixture itself cannot do", () => {
    const direct = findings(check("a", "FAILURE"))
    expect(compareFindings(direct, direct, []).differences).toEqual([])
  })

  it("tells the occurrences of one id apart", () => {
    const direct = findings(check("a", "SUCCESS"), check("a", "SUCCESS"))
    const hub = findings(check("a", "SUCCESS"), check("a", "FAILURE"))
    expect(compareFindings(direct, hub, [])).toMatchObject({ equal: 1, differences: [{ check: "a (A) #2" }] })
  })

  it("lists an excepted difference instead of dropping it, and finds the exception that explains nothing", () => {
    const direct = findings(check("a", "SUCCESS"))
    const excused = compareFindings(direct, findings(check("a", "WARNING")), [exception])
    expect(excused).toMatchObject({ differences: [], excused: [{ reason: "why" }], stale: [] })
    expect(compareFindings(direct, direct, [exception])).toMatchObject({ stale: [exception] })
  })

  it("applies an exception to its pairings only", () => {
    expect(exceptionsFor([exception], "2026-07-28", "stdio-legacy")).toEqual([exception])
    expect(exceptionsFor([exception], "2026-07-28", "http-modern")).toEqual([])
  })
})

it("reads the scenarios for servers out of a requirement set, and no others", () => {
  const text = [
    "# server:",
    "server:",
    "  - ping",
    "  - caching",
    "",
    "client:",
    "  - initialize",
    "",
    "not_scored:",
    "  - scenario: auth/dpop",
    "    leg: client",
    "    reason: extension",
    "  - scenario: tasks-lifecycle",
    "    leg: server",
    "    reason: extension",
    "",
  ].join("\n")
  expect(scenariosOf(text)).toEqual({ scored: ["ping", "caching"], unscored: ["tasks-lifecycle"] })
})
