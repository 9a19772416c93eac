/** Which paths may stand in an image: those that mean the same file, inside the folder, on every system. */

const MAX_SEGMENT_BYTES = 255
const MAX_PATH_BYTES = 2000
/** The state stands there. */
const STATE_FOLDER = ".toolyard"

/** What is wrong with these paths, taken together; nothing when they can all be unpacked anywhere. */
export function findPathFault(paths: readonly string[]): string | undefined {
  const files = new Map<string, string>()
  const folders = new Map<string, string>()
  for (const path of paths) {
    const fault = faultOf(path)
    if (fault) return `the path ${JSON.stringify(path)} ${fault}`
    const twin = files.get(sameKey(path))
    if (twin !== undefined)
      return twin === path
        ? `the path ${JSON.stringify(path)} stands twice`
        : `${JSON.stringify(twin)} and ${JSON.stringify(path)} are one file where case does not count`
    files.set(sameKey(path), path)
    for (const folder of foldersOf(path)) {
      const other = folders.get(sameKey(folder))
      if (other !== undefined && other !== folder)
        return `the folders ${JSON.stringify(other)} and ${JSON.stringify(folder)} are one where case does not count`
      folders.set(sameKey(folder), folder)
    }
  }
  const both = paths.find(path => folders.has(sameKey(path)))
  return both === undefined ? undefined : `${JSON.stringify(both)} is a file and a folder`
}

function faultOf(path: string): string | undefined {
  if (path === "") return "is empty"
  if (!path.isWellFormed()) return "is not well-formed text"
  if (/[\x00-\x1f\x7f]/.test(path)) return "has a control character"
  if (/[\\:]/.test(path)) return "has a backslash or a colon"
  if (path.startsWith("/")) return "is absolute"
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return "is too long"
  const segments = path.split("/")
  if (segments.some(segment => segment === "" || segment === "." || segment === "..")) return "leads elsewhere"
  if (segments.some(segment => /[. ]$/.test(segment))) return "has a part that ends in a dot or a space"
  if (segments.some(segment => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)) return "has a part that is too long"
  if (sameKey(segments[0] as string) === STATE_FOLDER) return "is in the folder of the state"
  return undefined
}

/** Equal for paths that some file system takes for one. */
function sameKey(path: string): string {
  return path.normalize("NFC").toLowerCase()
}

function foldersOf(path: string): string[] {
  const segments = path.split("/").slice(0, -1)
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"))
}
