/** The files of the project that `file://` resources of a configuration offer. */
import { isAbsolute, join, resolve } from "node:path"
import { filesUnder } from "./files-under.ts"
import type { Start } from "./follow.ts"
import { hidden, isFile, isHidden, pathIn } from "./project-path.ts"

export interface FileResources {
  starts: Start[]
  problems: string[]
}

/** For a template, everything under the part of its path that is fixed. */
export async function filesOfResources(root: string, because: string, uris: readonly string[]): Promise<FileResources> {
  const starts: Start[] = []
  const problems: string[] = []
  for (const uri of uris.filter(one => /^file:\/\//i.test(one))) {
    const [fixed = "", ...variable] = decode(uri.slice("file://".length)).split("{")
    const named = resolve(root, variable.length > 0 ? fixed.slice(0, fixed.lastIndexOf("/") + 1) : fixed)
    if (named !== root && pathIn(root, named) === undefined) {
      problems.push(`${because}: ${uri} is outside of the project, and stays there`)
      continue
    }
    if (isAbsolute(fixed)) problems.push(`${because}: ${uri} is an absolute path; write it relative to the project`)
    if (variable.length === 0) {
      if (isHidden(pathIn(root, named) ?? "")) problems.push(`${because}: ${hidden(pathIn(root, named) as string)}`)
      else if (await isFile(named)) starts.push({ file: named, because, plain: true })
      else problems.push(`${because}: ${uri} is not there`)
    } else
      for (const path of await filesUnder(named).catch(() => []))
        starts.push({ file: join(named, path), because, plain: true })
  }
  return { starts, problems }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
