/** Where the engine's files are; the process that reads them is told, as it may not look around. */
import { fileURLToPath } from "node:url"

export const EXTENSIONS = ["url", "encoding", "headers", "crypto", "structured-clone"]

/** The engine itself first, then its extensions in order. */
export const enginePaths = (): string[] =>
  ["quickjs.wasm", ...EXTENSIONS.map(name => `${name}.so`)].map(name =>
    fileURLToPath(import.meta.resolve(`quickjs-wasi/${name}`)),
  )
