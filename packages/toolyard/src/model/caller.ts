/** Who calls, and what that allows. */

export type ReadOnly = boolean | "strict"

/** Who calls. */
export interface Caller {
  /** The kind of surface, and the client's own name where it gave one: what `policy` rules match on. */
  readonly surface: "mcp" | "cli" | "http" | "run" | "library"
  readonly client?: string
  /** One client session, stable over its calls; stateless callers have none. */
  readonly session?: string
  /** Who is behind it, for what must not cross from one principal to another. */
  readonly principal: string
  readonly readOnly?: ReadOnly
}
