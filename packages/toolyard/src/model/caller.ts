/** Who calls, and what that allows. */

export type ReadOnly = boolean | "strict"

/** Who calls. */
export interface Caller {
  /** The kind of surface, and the client's own name where it gave one: what `policy` rules match on. */
  readonly surface: "mcp" | "cli" | "http" | "run" | "library"
  readonly client?: string
  /** For what a run calls: the surface that the run was started from. What is ruled for that holds in the run too. */
  readonly startedFrom?: Exclude<Caller["surface"], "run">
  /** One client session, stable over its calls; stateless callers have none. */
  readonly session?: string
  /** Who is behind it, for what must not cross from one principal to another. */
  readonly principal: string
  readonly readOnly?: ReadOnly
}
