/** How an ejected API wants to know who calls: the schemes that are in use, and the variables that hold the secrets. */
import type { JsonObject } from "../../model/json.ts"
import type { OperationPlan, SecurityScheme } from "../../sources/openapi/operation.ts"
import { referencesIn } from "./as-written.ts"
import type { Variable } from "./ejection.ts"
import { toVariableName } from "./literal.ts"

/** A scheme as `src/auth.ts` has it. */
export interface Scheme {
  type: "apiKey" | "bearer" | "basic" | "oauth2"
  variable: string
  in?: "header" | "query" | "cookie"
  key?: string
  tokenUrl?: string
  scopes?: string[]
}

export function schemesOf(tools: { operation: OperationPlan }[], auth: JsonObject): Record<string, Scheme> {
  const found = new Map<string, Scheme>()
  const taken = new Set<string>()
  for (const scheme of tools.flatMap(({ operation }) => operation.security.flatMap(({ schemes }) => schemes))) {
    if (found.has(scheme.name)) continue
    const how = toScheme(scheme)
    if (!how) continue
    // The name that is in use already, where the entry has nothing but a variable there.
    const secret = Object.hasOwn(auth, scheme.name) ? auth[scheme.name] : undefined
    const known = typeof secret === "string" ? /^\$\{(\w+)(?::-[^}]*)?\}$/.exec(secret)?.[1] : undefined
    let variable = known ?? toVariableName(scheme.name)
    for (let count = 2; known === undefined && taken.has(variable); count++)
      variable = `${toVariableName(scheme.name)}_${count}`
    taken.add(variable)
    found.set(scheme.name, { ...how, variable })
  }
  return Object.fromEntries(found)
}

function toScheme(scheme: SecurityScheme): Omit<Scheme, "variable"> | undefined {
  switch (scheme.type) {
    case "apiKey":
      return { type: "apiKey", in: scheme.in, key: scheme.key }
    case "oauth2":
      return {
        type: "oauth2",
        ...(scheme.tokenUrl !== undefined && { tokenUrl: scheme.tokenUrl }),
        ...(scheme.scopes.length > 0 && { scopes: scheme.scopes }),
      }
    case "other":
      return scheme.scheme.toLowerCase() === "openidconnect" ? { type: "bearer" } : undefined
    default:
      return { type: scheme.type }
  }
}

export function variablesOf(
  schemes: Record<string, Scheme>,
  headers: JsonObject,
  base: string | undefined,
): Variable[] {
  const secrets = Object.entries(schemes).flatMap(([name, { type, variable, tokenUrl }]): Variable[] => {
    const what = { apiKey: "the API key", bearer: "the token", basic: "user:password", oauth2: "the access token" }[
      type
    ]
    const own = { name: variable, purpose: `${what} for ${JSON.stringify(name)}`, required: false }
    if (tokenUrl === undefined) return [own]
    const client = (part: string): Variable => ({
      name: `${variable}_CLIENT_${part}`,
      purpose: `with the other one, in place of ${variable}: a token is fetched from ${tokenUrl}`,
      required: false,
    })
    return [own, client("ID"), client("SECRET")]
  })
  const others = referencesIn({ headers, base }).map(({ name, hasDefault }) => ({
    name,
    purpose: "stands in the headers or the address of every request",
    required: !hasDefault,
  }))
  const known = new Set(secrets.map(({ name }) => name))
  const address = { name: "BASE_URL", purpose: "the address of the API, if it is another one", required: false }
  return [...secrets, ...others.filter(({ name }) => !known.has(name)), address]
}
