/** Resources written in the configuration: what each URI or URI template gives when it is read. */
import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ResourceDefinition, TemplateDefinition } from "../../model/mcp.ts"
import type { ReadResult, YardAccess } from "../../model/source.ts"
import { type Argument, toArguments } from "./arguments.ts"
import { readLive } from "./live-result.ts"
import { mediaTypeOfName, toContents } from "./media.ts"
import { toText } from "./placeholders.ts"
import { confinedPath, decode, isProjectPath, readProjectFile } from "./project-files.ts"
import { compileTemplate } from "./template.ts"
import { isUriTemplate, parseUriTemplate, type UriTemplate } from "./uri-template.ts"
import { invalid, shownOf } from "./written.ts"

type Read = (uri: string, variables: Record<string, string>, call: Call, yard: YardAccess) => Promise<ReadResult>

export interface StaticResource {
  definition: ResourceDefinition
  /** The path of the project's file behind it, where there is one. */
  file?: (uri: string, root: string) => Promise<string>
  read: Read
}
export interface StaticTemplate extends Omit<StaticResource, "definition"> {
  definition: TemplateDefinition
  template: UriTemplate
  /** What is known of its variables, for completion. */
  arguments: Argument[]
}

const CONTENT = ["text", "json", "blob"] as const
const NOT_SHOWN: ReadonlySet<string> = new Set([...CONTENT, "arguments"])

/** Throws `config_invalid` with what is wrong and how to mend it. */
export function toStaticResource(uri: string, written: unknown): StaticResource | StaticTemplate {
  const entry = typeof written === "string" ? { text: written } : written
  if (!isObject(entry)) throw invalid("must be a text or an object")
  const scheme = schemeOf(uri)
  const template = isUriTemplate(uri) ? parseUriTemplate(uri) : undefined
  const content = contentOf(entry, template)
  if (!content && !["cid", "server", "file"].includes(scheme) && !(template && scheme === "variable")) {
    throw invalid(`says nothing of its content: write one of ${CONTENT.join(", ")}`)
  }
  const mimeType = typeof entry.mimeType === "string" ? entry.mimeType : content?.mimeType
  const read = content
    ? async (asked: string, variables: Record<string, string>) => ({
        contents: [{ uri: asked, mimeType, ...content.of(variables) }],
      })
    : readerOf(scheme, uri, template, mimeType)

  const file = scheme === "file" && !content ? { file: fileOf(uri, template) } : {}
  const shown = { name: nameOf(uri), ...(mimeType !== undefined && { mimeType }), ...shownOf(entry, NOT_SHOWN) }
  if (template) {
    const known = toArguments(entry.arguments)
    return { definition: { ...shown, uriTemplate: uri }, ...file, template, arguments: known, read }
  }
  const size = content?.size
  return { definition: { ...shown, uri, ...(size !== undefined && { size }) }, ...file, read }
}

/** What stands in the entry itself; in a template `{{name}}` there is what the URI has in `{name}`. */
function contentOf(entry: JsonObject, template: UriTemplate | undefined) {
  const [kind, another] = CONTENT.filter(key => entry[key] !== undefined)
  if (kind === undefined) return undefined
  if (another !== undefined) throw invalid(`has ${kind} and ${another}: keep one of them`)
  const value = entry[kind]
  if (kind === "blob") {
    const blob = typeof value === "string" ? value.replace(/\s/g, "") : ""
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(blob) || typeof value !== "string") {
      throw invalid("has a `blob` that is not base64")
    }
    return { mimeType: "application/octet-stream", size: Buffer.byteLength(blob, "base64"), of: () => ({ blob }) }
  }
  if (kind === "text" && typeof value !== "string") throw invalid("has a `text` that is not a string")
  const mimeType = kind === "json" ? "application/json" : "text/plain"
  const print = (filled: unknown): string => (kind === "json" ? (JSON.stringify(filled) ?? "null") : toText(filled))
  if (!template) {
    const text = print(value)
    return { mimeType, size: Buffer.byteLength(text), of: () => ({ text }) }
  }
  const { parameters, fill } = compileTemplate(value)
  const unknown = [...parameters.keys()].find(name => !template.names.includes(name))
  if (unknown !== undefined) throw invalid(`uses {{${unknown}}}, but its URI has no {${unknown}}`)
  return { mimeType, of: (variables: Record<string, string>) => ({ text: print(fill(variables)) }) }
}

function readerOf(scheme: string, uri: string, template: UriTemplate | undefined, mimeType: string | undefined): Read {
  switch (scheme) {
    case "cid":
      return async (asked, _variables, _call, yard) => {
        const blob = await yard.blob(asked.slice("cid://".length))
        if (!blob) throw unknownResource(asked)
        return { contents: [toContents(asked, blob.bytes, mimeType ?? blob.mediaType)] }
      }
    case "server":
      // A reserved expansion may hold `?` and `&`: who reads could pass arguments that are not theirs to choose.
      if (uri.includes("{+")) throw invalid("has {+…}: write {…}, or list the names of arguments as {?a,b}")
      if (!template && !/^server:\/\/[^/?#]+\/[^?#]+/.test(uri))
        throw invalid("must be server://SERVER/TOOL?name=value")
      return (asked, _variables, call, yard) => readLive(asked, mimeType, call, yard)
    case "file": {
      const file = fileOf(uri, template)
      return async (asked, _variables, _call, { root }) => {
        await file(asked, root)
        const bytes = await readProjectFile(asked, root)
        return { contents: [toContents(asked, bytes, mimeType ?? mediaTypeOfName(asked))] }
      }
    }
    default:
      // A template for the variables that are written out: it tells of them, they answer for themselves.
      return async asked => {
        throw unknownResource(asked)
      }
  }
}

function fileOf(uri: string, template: UriTemplate | undefined): NonNullable<StaticResource["file"]> {
  // Said when the configuration is read, not at the first use; where the project stands is not known yet.
  const example = uri.replace(/\{[^}]*\}/g, "x")
  if (!isProjectPath(example)) throw invalid("is not within the project: write file://path/in/the/project")
  return async (asked, root) => {
    if (template && reachesHidden(asked, uri)) throw unknownResource(asked)
    return confinedPath(asked, root)
  }
}

/** Who reads chooses a template's values; `.env` and `.git` are offered only where they are written out. */
export function reachesHidden(asked: string, template: string): boolean {
  const [names, written] = [asked, template].map(uri => decode(uri)?.split(/[/\\]/))
  if (!names || !written) return true
  return names.some(name => /^\.(?!\.?$)/.test(name) && !written.includes(name))
}

function schemeOf(uri: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):[^\s<>"\\^`|\x00-\x1f\x7f]+$/.exec(uri)?.[1]
  if (scheme === undefined || /%(?![0-9A-Fa-f]{2})/.test(uri))
    throw invalid("is not a URI: write scheme://name, with %20 for a space")
  return scheme.toLowerCase()
}

/** Clients want a name; the end of the URI is the most telling part of it. */
const nameOf = (uri: string): string =>
  uri
    .replace(/[?#].*$/, "")
    .split("/")
    .findLast(part => part !== "") ?? uri

export const unknownResource = (uri: string): YardError =>
  new YardError("unknown_resource", `Resource not found: ${uri}`, { data: { uri } })
