/** Finds a hub that is running for the yard that is meant. */
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { Context, Where } from "./deps.ts"
import { requestJson } from "./http-json.ts"

export interface Hub {
  /** Without the token, and without a slash at the end. */
  url: string
  token?: string
  pid?: number
  /** How it was found. */
  from: string
}

export interface Search {
  hub?: Hub
  /** A `hub.json` whose hub does not answer. */
  stale?: string
}

const ANSWER_MS = 2000

/** `--config` names a yard and so goes before `TOOLYARD_URL`, which names a hub. */
export async function findHub(context: Context, where: Where): Promise<Search> {
  const { TOOLYARD_URL: url } = context.io.env
  if (url && where.config === undefined) return { hub: await fromUrl(url, context) }
  const { root } = await context.deps.findFiles(where)
  return hubOfFolder(root, where, context)
}

export async function hubOfFolder(root: string, where: Where, context: Context): Promise<Search> {
  const file = join(root, ".toolyard", "hub.json")
  const noted = await readHubFile(file)
  if (!noted) return {}
  const wanted = where.config === undefined ? undefined : resolve(where.cwd, where.config)
  if (wanted !== undefined && noted.config !== undefined && noted.config !== wanted) return {}
  return (await answers(noted.hub, context)) ? { hub: noted.hub } : { stale: file }
}

async function readHubFile(file: string): Promise<{ hub: Hub; config?: string } | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(content) || typeof content.url !== "string" || !URL.canParse(content.url)) return undefined
  const { url, token, pid, config } = content
  return {
    hub: {
      url: url.replace(/\/+$/, ""),
      from: file,
      ...(typeof token === "string" && { token }),
      ...(typeof pid === "number" && { pid }),
    },
    ...(typeof config === "string" && { config }),
  }
}

async function fromUrl(written: string, context: Context): Promise<Hub> {
  const parsed = URL.canParse(written) ? new URL(written) : undefined
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:")
    throw new YardError("usage", "TOOLYARD_URL is not an http:// or https:// URL", {
      hint: "Set it to the URL that `toolyard serve` prints, such as http://127.0.0.1:7331/?token=….",
    })
  const token = parsed.searchParams.get("token") ?? context.io.env.TOOLYARD_TOKEN
  // The address for MCP clients is what people have at hand.
  const path = parsed.pathname.replace(/\/(?:mcp(?:\/.*)?)?$/, "")
  const hub: Hub = { url: parsed.origin + path, from: "TOOLYARD_URL", ...(token && { token }) }
  const reply = await requestJson(hub, { path: "/healthz", signal: context.signal, timeoutMs: ANSWER_MS }).catch(
    () => undefined,
  )
  if (reply?.status !== 200 || !isObject(reply.body) || reply.body.status !== "ok") {
    context.signal.throwIfAborted()
    throw new YardError("server_down", `no hub answers at ${hub.url}, which TOOLYARD_URL names`, {
      hint: "Start it with `toolyard serve`, or unset TOOLYARD_URL to work without it.",
    })
  }
  return hub
}

/** Asks what needs the token: a stranger may have taken the port since. */
async function answers(hub: Hub, { signal }: Context): Promise<boolean> {
  try {
    const { body } = await requestJson(hub, { path: "/readyz", signal, timeoutMs: ANSWER_MS })
    return isObject(body) && typeof body.ready === "boolean"
  } catch {
    signal.throwIfAborted()
    return false
  }
}
