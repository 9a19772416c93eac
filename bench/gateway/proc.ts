/** What Linux knows of a process and its children. Where there is no /proc, everything is unknown. */
import { readdirSync, readFileSync } from "node:fs"

/** The process and all below it. */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const pid of listPids()) {
    const parent = Number(statOf(pid)?.[1])
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const tree: number[] = statOf(root) ? [root] : []
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** The gateway's own processes: its tree without the echo server and the shells that start it. */
export function gatewayPids(root: number): number[] {
  return treeOf(root).filter(pid => pid === root || !readProc(pid, "cmdline")?.includes("echo-server.mjs"))
}

/** CPU time in ms, user and system; a tick of /proc is 10 ms on every Linux. */
export function cpuMsOf(pids: number[]): number | undefined {
  let ticks = 0
  for (const pid of pids) {
    const stat = statOf(pid)
    if (!stat) return undefined
    ticks += Number(stat[11]) + Number(stat[12])
  }
  return pids.length > 0 ? ticks * 10 : undefined
}

export function rssMbOf(pids: number[]): number | undefined {
  let kb = 0
  for (const pid of pids) kb += Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, "status") ?? "")?.[1] ?? 0)
  return kb > 0 ? kb / 1024 : undefined
}

/** The fields of /proc/PID/stat after the name: state, parent, … A zombie is as good as gone. */
function statOf(pid: number): string[] | undefined {
  const text = readProc(pid, "stat")
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ")
  return fields?.[0] === "Z" ? undefined : fields
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return undefined
  }
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
