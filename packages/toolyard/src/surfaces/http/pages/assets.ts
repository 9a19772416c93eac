/** The pages' style and script: files of their own, so that no page needs anything inline. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

export interface Asset {
  /** Changes with the content, so that it may be kept for ever. */
  readonly path: string
  readonly type: string
  readonly text: string
}

function readAsset(name: string, type: string): Asset {
  // They stand beside this file in the sources, and beside the bundle in the build.
  const text = readFileSync(new URL(name, import.meta.url), "utf8")
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 12)
  return { path: `/assets/${hash}-${name}`, type: `${type}; charset=utf-8`, text }
}

export const STYLE = readAsset("page.css", "text/css")
export const SCRIPT = readAsset("page.js", "text/javascript")
