import type { Contestant } from "../contestant.ts"
import { absentUnless, DENO, NO_SANDBOX } from "../paths.ts"
import { PLAIN_DIALECT } from "../runners/tools.ts"
import { takeSample } from "../sample.ts"
import { executorHttp, executorStdio } from "./executor.ts"
import { openSession } from "./http-mcp.ts"
import { startLibrary } from "./library.ts"
import { toolyardNew, toolyardSame } from "./toolyard.ts"

const directPipe: Contestant = {
  name: "direct, bare pipe",
  role: "baseline",
  engine: "v8",
  how: "a function in the caller's own process, the tools over bare pipes: what the calls cost at least",
  start: context => startLibrary("direct-pipe.ts", context),
}

const directSdk: Contestant = {
  name: "direct, SDK client",
  role: "baseline",
  engine: "v8",
  how: "a function in the caller's own process, the tools over an SDK client",
  start: context => startLibrary("direct-sdk.ts", context),
}

const noSandbox: Contestant = {
  name: "no sandbox",
  role: "baseline",
  engine: "v8",
  how: "end to end over the SDK's HTTP MCP server, a plain function in it, the tools over an SDK client",
  async start({ processes, folder }) {
    const { url } = processes.start([NO_SANDBOX], { cwd: folder })
    const openRunners = await openSession(await url(), { toValue: result => result.structuredContent?.value })
    return { measure: job => takeSample({ dialect: PLAIN_DIALECT, openRunners }, job) }
  },
}

const executorQuickjs: Contestant = {
  name: "@executor-js/runtime-quickjs",
  role: "peer",
  engine: "quickjs",
  how: "a bare library, measured in its own process, the tools over an SDK client",
  start: context => startLibrary("executor-quickjs.mjs", context),
}

const utcp: Contestant = {
  name: "@utcp/code-mode",
  role: "peer",
  engine: "v8",
  how: "a bare library, measured in its own process, the tools over its own MCP client",
  start: context => startLibrary("utcp.mjs", context),
}

const deno: Contestant = {
  name: "deno run",
  role: "peer",
  engine: "v8",
  how: "a fresh process for each run, its calls over its pipes to an SDK client",
  absent: () => absentUnless(DENO, "deno"),
  start: context => startLibrary("deno.ts", context),
}

export const CONTESTANTS: Contestant[] = [
  directPipe,
  directSdk,
  noSandbox,
  executorQuickjs,
  utcp,
  executorHttp,
  executorStdio,
  deno,
  toolyardSame,
  toolyardNew,
]
