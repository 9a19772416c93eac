/**
 * Ends the upstreams' process groups when the hub itself is killed with SIGKILL and can no longer do so.
 *
 * A shell of about a megabyte holds the read end of a pipe and a list of groups. The kernel closes the pipe
 * whenever the hub ends, however it ends, and the shell then kills what is still on its list. Unlike the kernel's
 * parent-death signal this reaches grandchildren too (`npx` → `sh` → `node`) and works on macOS.
 */
import { type ChildProcess, spawn } from "node:child_process"

const SCRIPT = `
trap '' INT TERM HUP
groups=" "
while read -r op group; do
  case $op in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
# No -- before the group: dash takes it for a number.
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
`

export interface Watchdog {
  /**
   * Resolves when the caller may spawn. That blocks the event loop for several milliseconds, so that many servers are
   * started one after another, with whatever else has come in meanwhile done in between.
   */
  turn(): Promise<void>
  add(group: number): void
  remove(group: number): void
  close(): void
}

export function startWatchdog(): Watchdog {
  const groups = new Set<number>()
  let shell: ChildProcess | undefined
  let closed = false

  const start = (): void => {
    // Its own session: what is sent to the hub's process group must not reach it.
    shell = spawn("/bin/sh", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"], env: {} })
    shell.unref()
    shell.on("error", () => {})
    shell.on("exit", () => {
      shell = undefined
      if (!closed && groups.size > 0) start()
    })
    const { stdin } = shell
    stdin?.on("error", () => {})
    ;(stdin as unknown as { unref?(): void } | null)?.unref?.()
    for (const group of groups) stdin?.write(`+ ${group}\n`)
  }

  let turns: Promise<void> = Promise.resolve()
  return {
    turn() {
      const mine = turns
      turns = mine.then(() => new Promise(resolve => setImmediate(resolve)))
      return mine
    },
    add(group) {
      if (process.platform === "win32" || closed) return
      groups.add(group)
      if (shell) shell.stdin?.write(`+ ${group}\n`)
      else start()
    },
    remove(group) {
      if (groups.delete(group)) shell?.stdin?.write(`- ${group}\n`)
    },
    close() {
      closed = true
      for (const group of groups) shell?.stdin?.write(`- ${group}\n`)
      groups.clear()
      shell?.stdin?.end()
    },
  }
}
