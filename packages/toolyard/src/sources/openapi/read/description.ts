/** An API description with all the documents it refers to, read but not resolved: conversion takes what it needs. */
import { isAbsolute } from "node:path"
import { pathToFileURL } from "node:url"
import { YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { fromHar, isHar } from "./har.ts"
import { parseText } from "./parse.ts"
import { fromPostman, isPostman } from "./postman.ts"
import { collectReferences } from "./references.ts"

export interface Description {
  /** Where it was read from; what it refers to is relative to this. */
  uri: string
  root: JsonObject
  /** Every document by its address without a fragment, the root's included, and each part of one that has an `$id`. */
  documents: Map<string, unknown>
  /** `$anchor`s and `$dynamicAnchor`s by address and `#name`. */
  anchors: Map<string, unknown>
  /** The addresses of documents that are referred to and not loaded yet. */
  wanted: Set<string>
  /** Why documents could not be loaded, by address. */
  missing: Map<string, string>
}

/** Gives the text at an address. Whoever gives the function decides which addresses are allowed, by throwing. */
export type Load = (uri: string) => Promise<string>

/** A description that refers to more than this is an attempt at something else. */
const MAX_DOCUMENTS = 500

/** `where` is an URL, or the path of a file. */
export function readDescription(text: string, where: string): Description {
  const parsed = parseText(text, where)
  const root = isPostman(parsed) ? fromPostman(parsed) : isHar(parsed) ? fromHar(parsed) : parsed
  if (typeof root.openapi !== "string" && typeof root.swagger !== "string" && !isVersion(root)) {
    throw new YardError("config_invalid", `${where} is no API description: it has neither "openapi" nor "swagger"`, {
      hint: "Give an OpenAPI or Swagger document, a Postman collection (v2) or a HAR file.",
    })
  }
  const uri = toUri(where)
  const description: Description = {
    uri,
    root,
    documents: new Map([[uri, root]]),
    anchors: new Map(),
    wanted: new Set(),
    missing: new Map(),
  }
  if (!isSelfContained(text)) collectReferences(description, root, uri)
  return description
}

/** Most are, and looking at every part of a large one takes longer than looking at its text. */
function isSelfContained(text: string): boolean {
  return /^\s*\{/.test(text) && !/"\$(?:ref"\s*:\s*"[^#]|ref"\s*:\s*"#[^/"]|id"|anchor"|dynamicAnchor")/.test(text)
}

/** Loads all that the description refers to, and what that refers to; what can't be had is noted and left out. */
export async function loadReferences(description: Description, load: Load): Promise<void> {
  const { documents, missing, wanted } = description
  while (wanted.size > 0) {
    const batch = [...wanted]
    wanted.clear()
    await Promise.all(
      batch.map(async uri => {
        try {
          if (documents.size >= MAX_DOCUMENTS) throw new Error(`more than ${MAX_DOCUMENTS} documents are referred to`)
          // What came from elsewhere must not read files here.
          if (uri.startsWith("file:") && !description.uri.startsWith("file:"))
            throw new Error("files are not read for it")
          const document = parseText(await load(uri), uri)
          documents.set(uri, document)
          collectReferences(description, document, uri)
        } catch (error) {
          missing.set(uri, error instanceof Error ? error.message : String(error))
        }
      }),
    )
    for (const uri of wanted) if (documents.has(uri) || missing.has(uri)) wanted.delete(uri)
  }
}

/** YAML reads `swagger: 2.0` as a number. */
function isVersion(root: JsonObject): boolean {
  return typeof root.swagger === "number" || typeof root.openapi === "number" || isObject(root.paths)
}

function toUri(where: string): string {
  if (isAbsolute(where)) return pathToFileURL(where).href
  const url = URL.parse(where)
  if (!url) throw new YardError("config_invalid", `"${where}" is neither an URL nor an absolute path`)
  url.hash = ""
  return url.href
}
