/** One type of the corpus, with values that it takes and values that it does not. */
export interface Case {
  /** The type of a parameter. */
  type: string
  /** The type of what arrives as JSON, where that is another: a `Date` comes as a string. */
  json?: string
  yes: unknown[]
  no: unknown[]
  /** Values on which the two need not be asked to agree with us, but with each other. */
  near?: unknown[]
}

export interface CaseGroup {
  /** What the types refer to. */
  declarations: string
  cases: Case[]
}

/** Values that the schema judges otherwise than TypeScript, and why that is right or has to be. */
export interface Exception {
  types: RegExp
  value: (value: unknown) => boolean
  why: string
}
