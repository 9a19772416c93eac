/** What a media type says about the bytes it stands for. */

/** Without parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(";", 1)[0]!.trim().toLowerCase()
}

export const isJson = (type: string): boolean => /^(?:application|text)\/(?:.+\+)?json$/.test(type)

/** One JSON value a line. */
export const isJsonLines = (type: string): boolean =>
  /^application\/(?:x-)?(?:ndjson|jsonl|json-?lines|json-seq|stream\+json)$/.test(type)

export const isXml = (type: string): boolean => /^[a-z]+\/(?:.+\+)?xml(?:-.+)?$/.test(type)

export const isForm = (type: string): boolean => type === "application/x-www-form-urlencoded"

export const isMultipart = (type: string): boolean => type.startsWith("multipart/")

/** Text that is written as text in the arguments. */
export const isText = (type: string): boolean =>
  isXml(type) ||
  type.startsWith("text/") ||
  /^application\/(?:(?:x-)?(?:yaml|javascript|sh|toml)|graphql|sql|jwt|.+\+yaml)$/.test(type)

export function parameterOf(mediaType: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]*))`, "i").exec(mediaType)
  return found?.[1] ?? found?.[2]
}
