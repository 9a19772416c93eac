/** The hosts that one generated server may reach, and what a refusal says about how to allow another. */
import { type AllowList, allowList } from "../../sandbox/fetch/allow-list.ts"
import { promptHosts } from "./documents/whitelist.ts"
import type { Whitelist } from "./store/generated.ts"

export function allowFor(whitelist: Whitelist, allow: readonly string[] = []): AllowList {
  return allowList(
    [
      ...allow.map(host => ({ host, from: "`allow`" })),
      ...whitelist.prompt.map(host => ({ host, from: "the prompt" })),
      // Whoever wrote a page must not decide what is reached inside.
      ...whitelist.pages.map(host => ({ host, from: "the documentation", publicOnly: true })),
    ],
    "the prompt, or to `allow` of the server in toolyard.json",
  )
}

/** Which of the hosts the prompt itself names; only these may be internal ones. */
export function splitHosts(hosts: readonly string[], prompt: string): Whitelist {
  const named = new Set(promptHosts(prompt))
  return { prompt: hosts.filter(host => named.has(host)), pages: hosts.filter(host => !named.has(host)) }
}
