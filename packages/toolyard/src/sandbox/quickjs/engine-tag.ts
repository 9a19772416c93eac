/** Tells builds of the engine apart: a snapshot is its memory, which only the very build that wrote it can read. */
import { readFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { CLIENT_INFO } from "../../model/mcp.ts"
import { enginePaths } from "./engine-paths.ts"

export function engineTag(): string {
  const sum = enginePaths().reduce((before, path) => crc32(readFileSync(path), before), 0)
  return `${CLIENT_INFO.version} ${sum.toString(16)}`
}
