/** QuickJS keeps what every engine promises. */
import { describeEngine } from "../engine.contract.ts"
import { createQuickJsEngine } from "./engine.ts"
import { enginePaths } from "./engine-paths.ts"

const url = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)

describeEngine("quickjs", {
  open: memoryBytes => createQuickJsEngine(enginePaths(), memoryBytes),
  openElsewhere: `await (await import(${url("./engine.ts")})).createQuickJsEngine(
    (await import(${url("./engine-paths.ts")})).enginePaths(), 64 * 1024 * 1024)`,
})
