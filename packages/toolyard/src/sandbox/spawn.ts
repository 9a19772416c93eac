/**
 * The command that starts a sandbox process: Node with every permission taken away that it can do without, inside
 * `bwrap` where there is one (no network, no environment, nothing of the disk but what Node itself needs).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { enginePaths } from "./quickjs/engine-paths.ts"

/** Beside this file in the sources, and beside the bundle when built. */
const ENTRY = import.meta.url.endsWith(".ts") ? "./child/main.ts" : "./sandbox.js"
/** Deep recursion must meet the engine's own limit before it meets Node's. */
const STACK_KB = 3900
/**
 * A machine's own need, and the copies of what goes in and out. The engine counts what scripts allocate, but not what
 * its extensions do (`URL` and others), so that its whole memory has a bound of its own.
 */
const SPARE_MB = 32

export interface SpawnOptions {
  memoryMb: number
  /** The program, or false to do without. */
  bwrap: string | false
}

export function spawnSandbox({ memoryMb, bwrap }: SpawnOptions): ChildProcess {
  const entry = realpathSync(fileURLToPath(new URL(ENTRY, import.meta.url)))
  const engine = enginePaths().map(path => realpathSync(path))
  const readable = [...new Set([packageOf(entry), ...engine.map(path => dirname(path))])]
  const node = realpathSync(process.execPath)
  const args = [
    `--stack-size=${STACK_KB}`,
    `--wasm-max-mem-pages=${(memoryMb + SPARE_MB) * 16}`,
    "--no-warnings",
    "--disallow-code-generation-from-strings",
    "--disable-proto=delete",
    "--permission",
    ...readable.map(folder => `--allow-fs-read=${folder}`),
    entry,
    String(memoryMb),
    ...engine,
  ]
  const [command, ...rest] = bwrap ? [bwrap, ...confinement(node, readable), node, ...args] : [node, ...args]
  return spawn(command as string, rest, {
    stdio: ["pipe", "pipe", "ignore"],
    env: {},
    cwd: bwrap ? "/" : dirname(entry),
    windowsHide: true,
    detached: process.platform !== "win32",
  })
}

function confinement(node: string, readable: string[]): string[] {
  const system = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache"].flatMap(path => ["--ro-bind-try", path, path])
  const own = [node, ...readable].flatMap(path => ["--ro-bind", path, path])
  return [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...system,
    ...own,
    "--dev",
    "/dev",
    "--proc",
    "/proc",
  ]
}

/** The folder that holds all that the entry imports. */
function packageOf(entry: string): string {
  return entry.endsWith(".ts") ? dirname(dirname(dirname(entry))) : dirname(entry)
}

/** `bwrap` on Linux, if it is there. */
export function findBwrap(): string | false {
  if (process.platform !== "linux") return false
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(folder, "bwrap")
    if (folder !== "" && existsSync(file)) return file
  }
  return false
}
