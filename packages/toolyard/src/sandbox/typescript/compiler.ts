/**
 * The TypeScript compiler with its project in memory: it sees the script, the declarations and its own library, and
 * nothing of the disk. Every call blocks until the compiler has answered, so this lives in a thread of its own.
 */
import type { ChildProcess } from "node:child_process"
import { API, type Project, type Snapshot } from "typescript/unstable/sync"
import { ambientFiles, CONFIG, ROOT, SCRIPT, serverFile } from "./ambient.ts"

export interface Compiler {
  /** The compiler's process. */
  readonly process: ChildProcess
  /** Puts servers' declarations in place of what there was; `undefined` takes a server out. */
  declare(changes: Iterable<[server: string, text: string | undefined]>): void
  /** The project with this text as the script; valid until the next call. */
  open(script: string): Project
  close(): void
}

/** The library of the compiler itself, the only files that it reads from the disk. */
const LIBRARY = /[\\/]@typescript[\\/]typescript-[\w-]+[\\/]lib[\\/]lib(\.\w+)*\.d\.ts$/

/** `onStart` gets the process before it has anything to do: it may never answer. */
export function startCompiler(onStart: (compiler: ChildProcess) => void): Compiler {
  const servers = new Set<string>()
  const files = new Map([...ambientFiles(servers), [SCRIPT, ""]])
  const isLibrary = (path: string) => LIBRARY.test(path)
  const api = new API({
    cwd: ROOT,
    fs: {
      // `undefined` leads to the disk, anything else does not.
      readFile: path => (isLibrary(path) ? undefined : (files.get(path) ?? null)),
      fileExists: path => (isLibrary(path) ? undefined : files.has(path)),
      directoryExists: path => `${ROOT}/servers`.startsWith(path),
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: path => path,
    },
  })
  const child = processOf(api)
  onStart(child)
  let snapshot: Snapshot = api.updateSnapshot({ openProjects: [CONFIG] })
  const changed = new Set<string>()
  const created = new Set<string>()
  const deleted = new Set<string>()

  const write = (path: string, text: string | undefined): void => {
    const before = files.get(path)
    if (before === text) return
    if (text === undefined) files.delete(path)
    else files.set(path, text)
    const kind = text === undefined ? deleted : before === undefined ? created : changed
    for (const other of [changed, created, deleted]) other.delete(path)
    kind.add(path)
  }

  return {
    process: child,
    declare(changes) {
      for (const [server, text] of changes) {
        if (text === undefined) servers.delete(server)
        else servers.add(server)
        write(serverFile(server), text)
      }
      for (const [path, text] of ambientFiles(servers)) write(path, text)
    },
    open(script) {
      write(SCRIPT, script)
      const before = snapshot
      snapshot = api.updateSnapshot({
        fileChanges: { changed: [...changed], created: [...created], deleted: [...deleted] },
      })
      before.dispose()
      for (const paths of [changed, created, deleted]) paths.clear()
      const [project] = snapshot.getProjects()
      if (!project) throw new Error("the compiler lost its project")
      return project
    },
    close() {
      try {
        api.close()
      } catch {
        // It takes leave of its process, which may be dead.
      }
    },
  }
}

/** The API keeps its process to itself; it is needed to end a compiler that does not answer. */
function processOf(api: API): ChildProcess {
  return (api as unknown as { client: { channel: { child: ChildProcess } } }).client.channel.child
}
