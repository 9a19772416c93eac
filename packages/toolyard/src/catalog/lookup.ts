/** Which server has a resource or a prompt, by the names that the whole yard goes by; and content by its id. */
import type { ReadResult } from "../model/source.ts"
import { matchesGlob } from "../policy/glob.ts"
import type { Blobs } from "../state/types.ts"
import type { Member } from "./member.ts"
import { toolId } from "./naming.ts"

/** A name or URI resolved to the server that has it, in that server's own words. */
export interface Target {
  member: Member
  name: string
}

export function findPrompt(members: Member[], id: string): Target | undefined {
  for (const member of members) {
    const prompt = member.offer.prompts.find(candidate => toolId(member.name, candidate.name) === id)
    if (prompt) return { member, name: prompt.name }
  }
  return undefined
}

/** The server that lists it, else the first one with a template that it can have come from. */
export function findResource(members: Member[], uri: string): Target | undefined {
  const member =
    members.find(({ offer }) => offer.resources.some(resource => resource.uri === uri)) ??
    members.find(({ offer }) => offer.templates.some(template => matchesTemplate(template.uriTemplate, uri)))
  return member && { member, name: uri }
}

/** Whether a URI can have come from an RFC 6570 template; routing needs no more than that. */
const matchesTemplate = (template: string, uri: string): boolean =>
  matchesGlob(template.replace(/\{[^{}]*\}/g, "*"), uri)

export const isContentUri = (uri: string): boolean => uri.startsWith("cid://")

/** Undefined when the yard has no such content. */
export async function readContent(blobs: Blobs, uri: string): Promise<ReadResult | undefined> {
  const blob = await blobs.get(uri.slice("cid://".length))
  if (!blob) return undefined
  const { mediaType } = blob
  const bytes = Buffer.from(blob.bytes)
  const isText = /^text\/|[/+]json\b|[/+]xml\b/.test(mediaType)
  const body = isText ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") }
  return { contents: [{ uri, mimeType: mediaType, ...body }] }
}
