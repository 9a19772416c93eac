/** Resources and prompts of every server, as the library gives them. */
import type { Catalog } from "../../catalog/catalog.ts"
import { findPrompt, findResource, isContentUri, readContent } from "../../catalog/lookup.ts"
import type { Member } from "../../catalog/member.ts"
import { toolId } from "../../catalog/naming.ts"
import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import type { Blobs } from "../../state/types.ts"
import type { CallOptions, LibraryYard } from "./types.ts"

type Begin = <T>(options: CallOptions, work: (call: Call) => Promise<T>) => Promise<T>

export function createResources(
  { catalog, blobs }: { catalog: Catalog; blobs: Blobs },
  begin: Begin,
): Pick<LibraryYard, "resources" | "read" | "prompts" | "prompt"> {
  const members = (): Member[] => catalog.servers().filter(({ source }) => source)
  return {
    resources: () => members().flatMap(({ offer }) => [...offer.resources, ...offer.templates]),
    async read(uri, options = {}) {
      const content = isContentUri(uri) ? await readContent(blobs, uri) : undefined
      if (content) return content
      const { member } = findResource(members(), uri) ?? {}
      if (!member) throw unknownResource(uri)
      return begin(options, call =>
        catalog.use(call, member, source => source.read?.(uri, call) ?? Promise.reject(unknownResource(uri))),
      )
    },
    prompts: () =>
      members().flatMap(({ name, offer }) =>
        offer.prompts.map(prompt => ({ ...prompt, name: toolId(name, prompt.name) })),
      ),
    async prompt(name, args = {}, options = {}) {
      const found = findPrompt(members(), name)
      if (!found) throw unknownPrompt(name)
      return begin(options, call =>
        catalog.use(
          call,
          found.member,
          source => source.prompt?.(found.name, args, call) ?? Promise.reject(unknownPrompt(name)),
        ),
      )
    },
  }
}

const unknownResource = (uri: string): YardError =>
  new YardError("unknown_resource", `no server has the resource ${uri}`, { hint: "See `resources()`." })
const unknownPrompt = (name: string): YardError =>
  new YardError("unknown_prompt", `no server has the prompt ${name}`, { hint: "See `prompts()`." })
