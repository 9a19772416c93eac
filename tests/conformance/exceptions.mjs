/**
 * Checks that cannot hold through the hub in some pairing, each with the reason why no hub could make them hold.
 * `client` and `upstream` name the pairings ("*" for all), `check` the id of the check (left out: the whole scenario).
 * Every entry is printed with the results; one that is no longer needed fails the run.
 *
 * { client: "2026-07-28", upstream: "stdio-legacy", scenario: "…", check: "…", reason: "…" }
 */
const NO_KEY =
  "a question of a 2025 server carries no key, so the key that the client is given is the hub's own, and answers sent ahead under another key can't be matched"
const POLLING =
  "only the server behind the hub knows when to close a stream in the middle of a call, and nothing in its messages says so"

export const EXCEPTIONS = [
  {
    client: "2026-07-28",
    upstream: "stdio-legacy",
    scenario: "input-required-result-basic-elicitation",
    reason: NO_KEY,
  },
  {
    client: "2026-07-28",
    upstream: "http-legacy",
    scenario: "input-required-result-basic-elicitation",
    reason: NO_KEY,
  },
  {
    client: "2026-07-28",
    upstream: "stdio-legacy",
    scenario: "input-required-result-ignore-extra-params",
    reason: NO_KEY,
  },
  {
    client: "2026-07-28",
    upstream: "http-legacy",
    scenario: "input-required-result-ignore-extra-params",
    reason: NO_KEY,
  },
  {
    client: "2025-11-25",
    upstream: "*",
    scenario: "server-sse-polling",
    check: "server-sse-disconnect-resume",
    reason: POLLING,
  },
]
