// `@executor-js/runtime-quickjs` as its README says, with the tools behind an SDK client.
import { makeQuickJsExecutor } from "@executor-js/runtime-quickjs"
import { Effect } from "effect"
import { openSdkClient, PLAIN_DIALECT } from "./tools.ts"

export async function openSubject() {
  const callTool = await openSdkClient()
  const executor = makeQuickJsExecutor()
  const invoker = {
    invoke: ({ path, args }) => Effect.tryPromise(() => callTool(path.slice(path.lastIndexOf(".") + 1), args)),
  }
  const runner = {
    async run(code) {
      const { result, error } = await Effect.runPromise(executor.execute(code, invoker))
      if (error !== undefined) throw new Error(error)
      return result
    },
    close() {},
  }
  return { dialect: PLAIN_DIALECT, openRunners: async count => Array.from({ length: count }, () => runner) }
}
