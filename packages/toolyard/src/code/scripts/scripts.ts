/** Saved scripts: named, versioned, with the schema of what they take. */
import { YardError } from "../../model/errors.ts"
import { nearest } from "../../model/nearest.ts"
import type { SavedScript } from "../../model/run.ts"
import type { Store } from "../../state/types.ts"

export interface Scripts {
  list(): Promise<SavedScript[]>
  /** `name` or `name@version`. */
  get(name: string): Promise<SavedScript>
  save(script: Omit<SavedScript, "version" | "savedAt">): Promise<SavedScript>
  remove(name: string): Promise<void>
}

interface Versions {
  versions: SavedScript[]
}

const NS = "scripts"
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,40}$/
const MAX_VERSIONS = 50

export function checkScriptName(name: string): void {
  if (NAME.test(name)) return
  const rule = "it must be letters, digits, _ and -, begin with a letter, and have at most 41 characters"
  throw new YardError("invalid_arguments", `${JSON.stringify(name)} cannot be a script's name: ${rule}`)
}

export function openScripts(store: Store, onChange: () => void): Scripts {
  const newest = ({ versions }: Versions): SavedScript => versions.at(-1) as SavedScript

  return {
    list: async () => (await store.entries<Versions>(NS)).map(({ value }) => newest(value)),
    async get(named) {
      const [, name = "", version] = /^([^@]*)(?:@(.*))?$/s.exec(named) ?? []
      const known = await store.get<Versions>(NS, name || "-")
      if (!known) {
        const names = (await store.entries<Versions>(NS)).map(({ key }) => key)
        const near = nearest(name, names)
        throw new YardError("unknown_script", `there is no script "${name}"${near ? `; did you mean "${near}"?` : ""}`)
      }
      const found = version === undefined ? newest(known) : known.versions.find(one => String(one.version) === version)
      if (found) return found
      const kept = known.versions.map(one => one.version).join(", ")
      throw new YardError("unknown_script", `script "${name}" has no version ${version}; there are ${kept}`)
    },
    async save(script) {
      checkScriptName(script.name)
      const kept = await store.update<Versions>(NS, script.name, before => {
        const versions = before?.versions ?? []
        const last = versions.at(-1)
        // The same again is no new version.
        if (last && last.code === script.code && last.description === script.description) return before
        const version = (last?.version ?? 0) + 1
        const saved: SavedScript = { ...script, version, savedAt: new Date().toISOString() }
        return { versions: [...versions, saved].slice(-MAX_VERSIONS) }
      })
      onChange()
      return newest(kept as Versions)
    },
    async remove(name) {
      if (!(await store.delete(NS, name))) throw new YardError("unknown_script", `there is no script "${name}"`)
      onChange()
    },
  }
}
