/** Which operations become tools: `tag:pets`, `path:/pets/*`, `method:GET`, `operation:listPets`, or a tool's name. */

export interface Candidate {
  tool: string
  id: string | undefined
  method: string
  path: string
  tags: readonly string[]
}

export interface Selection {
  /** Any of these is enough; all operations when there are none. */
  include?: readonly string[] | undefined
  /** None of these. */
  exclude?: readonly string[] | undefined
}

export function toFilter({ include, exclude }: Selection): (candidate: Candidate) => boolean {
  const wanted = include?.map(toTest) ?? []
  const unwanted = exclude?.map(toTest) ?? []
  return candidate =>
    (wanted.length === 0 || wanted.some(test => test(candidate))) && !unwanted.some(test => test(candidate))
}

function toTest(rule: string): (candidate: Candidate) => boolean {
  const [, kind, rest] = /^(tag|path|method|operation):(.*)$/s.exec(rule) ?? []
  const pattern = toPattern(rest ?? rule, kind === "method" ? "i" : "")
  switch (kind) {
    case "tag":
      return ({ tags }) => tags.some(tag => pattern.test(tag))
    case "path":
      return ({ path }) => pattern.test(path)
    case "method":
      return ({ method }) => pattern.test(method)
    case "operation":
      return ({ id }) => id !== undefined && pattern.test(id)
    default:
      return ({ tool }) => pattern.test(tool)
  }
}

/** `*` stands for anything within a part of a path, `**` for any number of parts. */
function toPattern(glob: string, flags: string): RegExp {
  const source = glob.replace(/\*\*+|[*?]|[^*?]+/g, part => {
    if (part === "?") return "[^/]"
    if (part === "*") return "[^/]*"
    return part.startsWith("*") ? ".*" : part.replace(/[\\^$.|+()[\]{}]/g, "\\$&")
  })
  return new RegExp(`^${source}$`, `s${flags}`)
}
