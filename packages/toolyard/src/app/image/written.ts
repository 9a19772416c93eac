/** What a configuration asks for: read from its text where variables must stay as written, so that no secret gets out. */
import { isAbsolute, resolve, sep } from "node:path"
import { parseDocument } from "../../config/document.ts"
import { expandValue } from "../../config/expand.ts"
import { readText } from "../../config/files.ts"
import type { ServerConfig } from "../../model/config.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { secretsIn } from "../../surfaces/cli/entry.ts"
import { filesOfResources } from "./file-resources.ts"
import type { Start } from "./follow.ts"
import type { Manifest } from "./manifest.ts"
import { hidden, isFile, isHidden, pathIn } from "./project-path.ts"

export interface Written {
  needs: Manifest["needs"]
  /** Of the contents that it names. */
  cids: string[]
  warnings: string[]
}

export function readWritten(file: string, root: string): Written {
  const read = readText(file)
  const text = read && "text" in read ? read.text : "{}"
  const { value } = parseDocument(text)
  const entries = isObject(value) && isObject(value.mcpServers) ? value.mcpServers : {}
  const raw = Object.entries(entries).filter((pair): pair is [string, JsonObject] => isObject(pair[1]))
  const { missing } = expandValue(value, { TOOLYARD_ROOT: root })
  const programs = raw.flatMap(([, { command, python }]) => [command, python])
  return {
    needs: {
      variables: unique(missing.map(({ variable }) => variable)),
      programs: unique(programs.flatMap(program => programOf(program, root))),
      addresses: unique(raw.flatMap(([, { url }]) => (typeof url === "string" ? [url] : []))),
    },
    cids: unique(text.match(/\bbafkrei[a-z2-7]{52}\b/g) ?? []),
    warnings: [
      ...raw.flatMap(([name, entry]) =>
        secretsIn(entry).map(
          secret => `${name}: ${secret} is written out, and so in the image; write \${VARIABLE} instead`,
        ),
      ),
      ...pathsOfThisMachine(value, root),
    ],
  }
}

/** With the Python that servers use which name none. */
export function withPython(needs: Written["needs"], servers: readonly ServerConfig[]): Written["needs"] {
  const isPlain = servers.some(({ entry }) => entry.type === "python" && (entry as Words).python === undefined)
  return { ...needs, programs: unique([...needs.programs, ...(isPlain ? ["python3"] : [])]) }
}

const unique = (list: readonly string[]): string[] => [...new Set(list)].sort()

/** A program that is not in the project has to be there already. */
function programOf(command: unknown, root: string): string[] {
  if (typeof command !== "string") return []
  const isLocal = /^\.\.?[/\\]/.test(command) || (isAbsolute(command) && pathIn(root, command) !== undefined)
  return isLocal || command.startsWith("${TOOLYARD_ROOT}") ? [] : [command]
}

function pathsOfThisMachine(value: unknown, root: string): string[] {
  if (typeof value === "string")
    return value.startsWith(root + sep)
      ? [`${value} is a path of this machine; write it relative to the project, or with \${TOOLYARD_ROOT}`]
      : []
  return isObject(value) || Array.isArray(value)
    ? Object.values(value).flatMap(part => pathsOfThisMachine(part, root))
    : []
}

/** The files of the project that servers name: modules, transforms, resources, and programs with their arguments. */
export async function filesOfServers(
  root: string,
  servers: readonly ServerConfig[],
): Promise<{ starts: Start[]; problems: string[] }> {
  const starts: Start[] = []
  const problems: string[] = []
  for (const { name, entry, transforms, additions } of servers) {
    const modules = [
      entry.type === "module" || entry.type === "python" ? entry.file : undefined,
      ...Object.values(transforms),
    ]
    for (const file of modules)
      if (typeof file === "string" && !file.startsWith("cid://")) starts.push({ file, because: name })
    const { cwd } = entry as Words
    for (const word of wordsOf(entry)) {
      const file = resolve(cwd ?? root, word)
      const path = pathIn(root, file)
      if (path === undefined || !(await isFile(file))) continue
      if (isHidden(path)) problems.push(`${name}: ${hidden(path)}`)
      else starts.push({ file, because: name })
    }
    const resources = await filesOfResources(root, name, Object.keys(additions.resources))
    starts.push(...resources.starts)
    problems.push(...resources.problems)
  }
  return { starts, problems }
}

/** Where an entry of some type may name a file. */
interface Words {
  type: string
  command?: unknown
  args?: unknown
  spec?: unknown
  python?: unknown
  cwd?: string
}

function wordsOf(entry: ServerConfig["entry"]): string[] {
  const { command, args, spec, python } = entry as Words
  const words = [command, python, spec, ...(Array.isArray(args) ? args : [])]
  return words.filter(word => typeof word === "string" && word !== "" && !word.includes("\0"))
}
