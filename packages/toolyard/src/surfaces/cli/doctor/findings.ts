/** What `doctor` finds about everything but the servers themselves. */
import { constants, existsSync } from "node:fs"
import { access } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { YardConfig } from "../../../model/config.ts"
import { toYardError } from "../../../model/errors.ts"
import { isAbout, placed } from "../config-problem.ts"
import type { CliDeps } from "../deps.ts"
import type { Search } from "../find-hub.ts"
import { count } from "../text.ts"

export interface Finding {
  /** A warning alone is no reason to fail. */
  status: "ok" | "warning" | "problem"
  what: string
  message: string
  fix?: string
}

const NEEDED = [22, 19] as const

export function inspectNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const enough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
  if (enough) return { status: "ok", what: "Node", message: version }
  return {
    status: "problem",
    what: "Node",
    message: `${version} is too old`,
    fix: `Install ${NEEDED.join(".")} or later.`,
  }
}

/** `about`: leaves out what other servers' entries have wrong with them. */
export function inspectConfig({ files, servers, problems }: YardConfig, about?: string): Finding[] {
  const concerning = problems.filter(problem => isAbout(problem, about))
  const what = "configuration"
  if (files.length === 0 && problems.length === 0)
    return [{ status: "warning", what, message: "there is no toolyard.json", fix: "`toolyard init` writes one." }]
  const found = concerning.map(
    (problem): Finding => ({
      status: problem.severity === "error" ? "problem" : "warning",
      what,
      message: placed(problem),
      ...(problem.fix !== undefined && { fix: problem.fix }),
    }),
  )
  if (files.length === 0) return found
  return [{ status: "ok", what, message: `${files.join(", ")} (${count(servers.length, "server")})` }, ...found]
}

export async function inspectFolder(root: string, deps: CliDeps): Promise<Finding> {
  const folder = join(root, ".toolyard")
  const what = "state"
  const isThere = existsSync(folder)
  const writable = await access(isThere ? folder : dirname(folder), constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!writable)
    return {
      status: "warning",
      what,
      message: `${folder} can't be written; calls are not recorded and every start is a cold one`,
      fix: "Check the permissions of the folder.",
    }
  if (!isThere) return { status: "ok", what, message: `${folder} will be made when it is needed` }
  try {
    const audit = await deps.openAudit(folder)
    await audit.tail(1)
    await audit.close()
    return { status: "ok", what, message: folder }
  } catch (error) {
    const { message, hint } = toYardError(error)
    return { status: "problem", what, message: `${folder}: ${message}`, fix: hint }
  }
}

export function inspectHub({ hub, stale }: Search): Finding {
  const what = "hub"
  if (hub) {
    const pid = hub.pid === undefined ? "" : `, process ${hub.pid}`
    return { status: "ok", what, message: `runs at ${hub.url}${pid} (from ${hub.from})` }
  }
  if (stale === undefined) return { status: "ok", what, message: "none is running; commands work without one" }
  return {
    status: "warning",
    what,
    message: `${stale} names a hub that does not answer`,
    fix: "It is ignored, and replaced by the next `toolyard serve`.",
  }
}
