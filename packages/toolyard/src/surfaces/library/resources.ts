/** Resources and prompts of every server, as the library gives them. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { Member } from "../../catalog/member.ts"
import { toolId } from "../../catalog/naming.ts"
import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import type { ReadResult } from "../../model/source.ts"
import { matchesGlob } from "../../policy/glob.ts"
import type { Blobs } from "../../state/types.ts"
import type { CallOptions, LibraryYard } from "./types.ts"

type Begin = <T>(options: CallOptions, work: (call: Call) => Promise<T>) => Promise<T>

export function createResources(
  { catalog, blobs }: { catalog: Catalog; blobs: Blobs },
  begin: Begin,
): Pick<LibraryYard, "resources" | "read" | "prompts" | "prompt"> {
  const members = (): Member[] => catalog.servers().filter(({ source }) => source)
  const named = () =>
    members().flatMap(member =>
      member.offer.prompts.map(prompt => ({ member, prompt, id: toolId(member.name, prompt.name) })),
    )

  return {
    resources: () => members().flatMap(({ offer }) => [...offer.resources, ...offer.templates]),
    async read(uri, options = {}) {
      if (uri.startsWith("cid://")) return readBlob(blobs, uri)
      const member = ownerOf(members(), uri)
      if (!member) throw unknownResource(uri)
      return begin(options, call =>
        catalog.use(call, member, source => source.read?.(uri, call) ?? Promise.reject(unknownResource(uri))),
      )
    },
    prompts: () => named().map(({ prompt, id }) => ({ ...prompt, name: id })),
    async prompt(name, args = {}, options = {}) {
      const found = named().find(({ id }) => id === name)
      if (!found) throw unknownPrompt(name)
      const { member, prompt } = found
      return begin(options, call =>
        catalog.use(
          call,
          member,
          source => source.prompt?.(prompt.name, args, call) ?? Promise.reject(unknownPrompt(name)),
        ),
      )
    },
  }
}

/** The server that lists it, else the first one with a template that it can have come from. */
function ownerOf(members: Member[], uri: string): Member | undefined {
  const fits = (template: string): boolean => matchesGlob(template.replace(/\{[^{}]*\}/g, "*"), uri)
  return (
    members.find(({ offer }) => offer.resources.some(resource => resource.uri === uri)) ??
    members.find(({ offer }) => offer.templates.some(({ uriTemplate }) => fits(uriTemplate)))
  )
}

async function readBlob(blobs: Blobs, uri: string): Promise<ReadResult> {
  const blob = await blobs.get(uri.slice("cid://".length))
  if (!blob) throw unknownResource(uri)
  const { mediaType } = blob
  const bytes = Buffer.from(blob.bytes)
  const isText = /^text\/|[/+]json\b|[/+]xml\b/.test(mediaType)
  const body = isText ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") }
  return { contents: [{ uri, mimeType: mediaType, ...body }] }
}

const unknownResource = (uri: string): YardError =>
  new YardError("unknown_resource", `no server has the resource ${uri}`, { hint: "See `resources()`." })
const unknownPrompt = (name: string): YardError =>
  new YardError("unknown_prompt", `no server has the prompt ${name}`, { hint: "See `prompts()`." })
