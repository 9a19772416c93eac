/** Ends a child and everything it started: its input is closed, then the whole group gets TERM, then KILL. */
import { type ChildProcess, spawn } from "node:child_process"

const AFTER_STDIN_MS = 300
const AFTER_TERM_MS = 1500
const AFTER_KILL_MS = 200

export async function endProcessGroup(child: ChildProcess, group: number): Promise<void> {
  child.stdin?.end()
  if (process.platform === "win32") {
    await endTreeOnWindows(child, group)
    return
  }
  if (!(await groupEnds(group, AFTER_STDIN_MS))) {
    signalGroup(group, "SIGTERM")
    if (!(await groupEnds(group, AFTER_TERM_MS))) {
      signalGroup(group, "SIGKILL")
      // Nothing outlives that; but who collects the dead of others may take its time, or never do it.
      await groupEnds(group, AFTER_KILL_MS)
    }
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    // EPERM: somebody is still there, though not ours to signal.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** There is no event for the end of a group, so it is asked at short, growing intervals. */
async function groupEnds(group: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 50)) {
    if (!signalGroup(group, 0)) return true
    if (performance.now() >= deadline) return false
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}

async function endTreeOnWindows(child: ChildProcess, pid: number): Promise<void> {
  const exited = new Promise<void>(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })
  const timer = setTimeout(() => {
    spawn("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () =>
      child.kill(),
    )
  }, AFTER_STDIN_MS)
  await exited
  clearTimeout(timer)
}
