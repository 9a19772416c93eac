/**
 * Checks that cannot hold through the hub in some pairing, each with the reason why no hub could make them hold.
 * `client` and `upstream` name the pairings ("*" for all), `check` the id of the check (left out: the whole scenario).
 * Every entry is printed with the results; one that is no longer needed fails the run.
 *
 * { client: "2026-07-28", upstream: "stdio-legacy", scenario: "…", check: "…", reason: "…" }
 */
export const EXCEPTIONS = []
