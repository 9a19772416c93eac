/** Values as text, and text as it may stand in an address. */
import { YardError } from "../../../model/errors.ts"

export type Encode = (text: string) => string

/** Everything but the characters that mean nothing anywhere in an address. */
export function percentEncode(text: string): string {
  if (!text.isWellFormed()) {
    throw new YardError("invalid_arguments", "a text has half a character in it (an unpaired surrogate)", {
      hint: "Send the text without it; it can't be written as UTF-8.",
    })
  }
  return encodeURIComponent(text).replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** `allowReserved`: marks stay, and what is encoded already stays so; but nothing may end the value it stands in. */
export function encodeReserved(text: string): string {
  return text
    .split(/(%[0-9A-Fa-f]{2}|[:/?@!$'()*,;=])/)
    .map((part, index) => (index % 2 === 1 ? part : percentEncode(part)))
    .join("")
}

/** The same in a path, where `/` and `?` would end the value too. */
export function encodeReservedInPath(text: string): string {
  return encodeReserved(text).replaceAll("/", "%2F").replaceAll("?", "%3F")
}

/** A part of the address that the description wrote: only what can't stand in an address at all is encoded. */
export function encodeLiteral(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent)
}

/** A number, a word or a yes/no as it is written; anything deeper as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null
