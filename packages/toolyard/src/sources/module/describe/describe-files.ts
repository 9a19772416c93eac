/** For tests: the description of a module that is written to a folder of its own, with other files beside it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { DescribedFunction, ModuleDescription } from "../description.ts"
import { describeModule } from "./describe.ts"

export interface Described extends ModuleDescription {
  folder: string
  /** The function of that export; it has to be there. */
  get(name: string): DescribedFunction
}

/** The first of the files is the module. */
export function describeFiles(files: Record<string, string>): Described {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-describe-")))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const description = describeModule(join(folder, Object.keys(files)[0] ?? ""))
    return {
      ...description,
      folder,
      get(name) {
        const found = description.functions.find(one => one.export === name)
        if (!found) throw new Error(`${name} is not among ${description.functions.map(one => one.export)}`)
        return found
      },
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const describeSource = (code: string) => describeFiles({ "module.ts": code })
