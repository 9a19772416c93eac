/** A script as a plain function in the process that runs it. */
import type { Subject } from "../sample.ts"
import { type CallTool, PLAIN_DIALECT } from "./tools.ts"

type Script = (tools: unknown) => Promise<unknown>
const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => Script

export function functionSubject(callTool: CallTool): Subject {
  const tools = {
    bench: { echo: (args: unknown) => callTool("echo", args), rows: (args: unknown) => callTool("rows", args) },
  }
  const runner = { run: (code: string) => new AsyncFunction("tools", code)(tools), close: () => {} }
  return { dialect: PLAIN_DIALECT, openRunners: async count => Array.from({ length: count }, () => runner) }
}
