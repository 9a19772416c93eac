/** What scripts expect from other runtimes and don't find in the sandbox, with what to use instead. */

const FILES = "there is no file system; use a tool of a server that has files, or return the data as the script's value"
const PAGE = "there is no web page; use a tool that works with pages, or `fetch` for hosts that are allowed"
const RUNTIME = "there is no process, environment or command line; pass what the script needs as `input`"
const MODULES = 'nothing can be loaded but `import { tools } from "toolyard"`, and `tools` is there without it'
const CODE = "code can't be made from text; write what it should do in the script itself"
const BYTES = "use `Uint8Array`, `TextEncoder`, `TextDecoder`, `atob` and `btoa`"
const NETWORK = "use `fetch` for hosts that are allowed, or a tool"

const ABSENT = new Map<string, string>(
  Object.entries({
    process: RUNTIME,
    Deno: RUNTIME,
    Bun: RUNTIME,
    __dirname: FILES,
    __filename: FILES,
    fs: FILES,
    require: MODULES,
    module: 'use `return` or `export default` to give the script\'s value; `import { tools } from "toolyard"` to load',
    exports: "use `return` or `export default` to give the script's value",
    eval: CODE,
    Function: CODE,
    Buffer: BYTES,
    window: PAGE,
    document: PAGE,
    localStorage: "nothing is kept between runs; return the data as the script's value",
    sessionStorage: "nothing is kept between runs; return the data as the script's value",
    XMLHttpRequest: NETWORK,
    WebSocket: NETWORK,
    EventSource: NETWORK,
    axios: NETWORK,
    Worker: "a script is one thread; use `Promise.all` to make calls at the same time",
    WebAssembly: CODE,
    Intl: "format numbers and dates with `toFixed`, `toISOString` and the like",
    AbortController: "a call ends with its run; set `timeoutMs` of the run, or use `Promise.race` with a timer",
    AbortSignal: "a call ends with its run; set `timeoutMs` of the run, or use `Promise.race` with a timer",
  }),
)

/** Why `name` is not there and what to do, or nothing when it is not one of these. */
export function explainAbsent(name: string): string | undefined {
  const instead = ABSENT.get(name)
  return instead && `\`${name}\` is not there in the sandbox: ${instead}.`
}

/** What `import` can load. */
export const IMPORTABLE = ["tools", "search", "results", "input", "ToolError"] as const

export function explainImport(specifier: string): string {
  return `Cannot import "${specifier}" in the sandbox: ${MODULES}. Importable from "toolyard": ${IMPORTABLE.join(", ")}.`
}
