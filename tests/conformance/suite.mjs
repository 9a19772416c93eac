/** Runs the official suite against an address and gives what it found; starts what stands at that address. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { scenariosOf } from "./checks.ts"

const here = name => fileURLToPath(new URL(name, import.meta.url))
const FIXTURE = here("./fixture.mjs")
const HUB = here("../../packages/toolyard/bin/toolyard.mjs")
const SUITE = here("../../node_modules/@modelcontextprotocol/conformance/dist/index.js")
const READY_MS = 20_000

/** The scenarios of a revision, as frozen by the suite itself. */
export function requirementsOf(revision) {
  return scenariosOf(readFileSync(join(dirname(SUITE), "..", "requirements", `${revision}.yaml`), "utf8"))
}

/** Every check of every scenario of the revision (or of one scenario), as the suite wrote it down. */
export async function runSuite(processes, { url, revision, scenario }) {
  const folder = processes.folder()
  // `--requirements` runs all that the "active" suite does, and what is pending or optional beside it.
  // `--force` because a named scenario of an extension belongs to no revision.
  const what = scenario ? ["--scenario", scenario, "--spec-version", revision, "--force"] : ["--requirements", revision]
  const { output } = await processes.run([SUITE, "server", "--url", url, ...what, "--output-dir", folder], folder)
  const findings = new Map()
  for (const name of readdirSync(folder)) {
    const known = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name)?.[1]
    if (known) findings.set(known, JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")))
  }
  if (findings.size === 0) throw new Error(`The suite ran no scenario at ${url}:\n${output}`)
  return findings
}

export function serveFixture(processes, era) {
  const args = era ? ["--era", era] : []
  return processes.serve([FIXTURE, "--http", "--port", "0", ...args], processes.folder())
}

async function ready(url) {
  const deadline = Date.now() + READY_MS
  let last = "no answer"
  while (Date.now() < deadline) {
    const response = await fetch(`${url}/readyz`).catch(error => ({ ok: false, status: String(error) }))
    if (response.ok) return
    last = response.status
    await pause(100)
  }
  throw new Error(`The hub was not ready within ${READY_MS / 1000} s (/readyz: ${last})`)
}

/** The hub in front of a fixture. `upstream` is `stdio-legacy`, `stdio-modern`, `http-legacy` or `http-modern`. */
export async function serveHub(processes, upstream) {
  const [transport, era] = upstream.split("-")
  const fixture = transport === "http" ? await serveFixture(processes, era) : undefined
  const entry = fixture
    ? { type: "http", url: fixture.url }
    : { command: process.execPath, args: [FIXTURE, "--stdio", "--era", era] }
  const folder = processes.folder()
  const config = join(folder, "toolyard.json")
  writeFileSync(config, JSON.stringify({ mcpServers: { fixture: entry } }))
  let hub
  const stop = async () => {
    await hub?.stop()
    await fixture?.stop()
  }
  try {
    hub = await processes.serve([HUB, "serve", "--port", "0", "--no-auth", "--config", config], folder)
    await ready(hub.url)
  } catch (error) {
    await stop()
    throw new Error(`${error.message}\n${hub?.log() ?? ""}`)
  }
  return { url: `${hub.url}/mcp/fixture`, stop }
}
