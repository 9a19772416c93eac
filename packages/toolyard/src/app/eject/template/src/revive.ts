/** Arguments that are written as text and are something else to the function; what is absent stays absent. */
type Value = unknown

const unlessAbsent =
  <T>(make: (value: never) => T) =>
  // biome-ignore lint/suspicious/noExplicitAny: the function that is called knows the type
  (value: Value): any =>
    value === undefined || value === null ? value : make(value as never)

export const toDate = unlessAbsent((text: string) => {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Error(`${JSON.stringify(text)} is no date`)
  return date
})
export const toUrl = unlessAbsent((text: string) => new URL(text))
export const toRegExp = unlessAbsent((text: string) => {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  return source === undefined ? new RegExp(text) : new RegExp(source, flags)
})
export const toBigInt = unlessAbsent((value: string | number) => BigInt(value))
export const toMap = unlessAbsent((value: object) => new Map(Array.isArray(value) ? value : Object.entries(value)))
export const toSet = unlessAbsent((items: unknown[]) => new Set(items))
export const toBuffer = unlessAbsent((text: string) => Buffer.from(text, "base64"))
export const toBytes = unlessAbsent((text: string) => new Uint8Array(Buffer.from(text, "base64")))
export const toArrayBuffer = unlessAbsent((text: string) => new Uint8Array(Buffer.from(text, "base64")).buffer)
