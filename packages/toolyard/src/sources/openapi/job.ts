/** What the hub asks of the thread that reads descriptions, and what it is given. */
import type { AllowEntry } from "../../sandbox/fetch/allow-list.ts"
import type { Converted } from "./convert/operations.ts"

export interface OpenApiJob {
  kind: "openapi"
  /** Its text as UTF-8. */
  bytes: Uint8Array
  /** An address or a path: what the text refers to is relative to it. */
  where: string
  /** The folder within which files may be referred to. */
  root: string
  /** The hosts that may be referred to. */
  hosts: AllowEntry[]
  include: readonly string[] | undefined
  exclude: readonly string[] | undefined
}

export interface OpenApiTools extends Converted {
  /** Other documents that it was made from, with a hash of each, `MISSING` or `REFUSED`. */
  parts: { uri: string; hash: string }[]
  title?: string
  version?: string
  about?: string
}

/** In place of the hash of a file that is not there, and of one that may not be read. */
export const MISSING = ""
export const REFUSED = "refused"
