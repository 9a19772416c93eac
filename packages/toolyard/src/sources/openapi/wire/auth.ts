/** Which secrets an operation is sent with: the first of its alternatives that are all set under `auth` of the entry. */
import { YardError } from "../../../model/errors.ts"
import { isObject } from "../../../model/json.ts"
import type { OperationPlan, SecurityRequirement, SecurityScheme } from "../operation.ts"
import type { Headers } from "./headers.ts"
import type { Tokens } from "./oauth.ts"
import type { Secrets } from "./secrets.ts"

/** What is added to a request. */
export interface Grant {
  headers: Headers
  query: [name: string, value: string][]
  /** Tokens that can be had anew when they are refused. */
  tokens: string[]
}

export interface Authorizer {
  grant(plan: OperationPlan, signal: AbortSignal): Promise<Grant>
  /** Lets go of refused tokens; true when asking again may help. */
  renew(grant: Grant): boolean
  /** What to set in the configuration when the API wants a secret, or another one. */
  explain(plan: OperationPlan): string | undefined
}

export interface AuthOptions {
  /** Of the entry: by scheme. */
  auth: Record<string, unknown>
  server: string
  secrets: Secrets
  tokens: Tokens
}

export function createAuthorizer({ auth, server, secrets, tokens }: AuthOptions): Authorizer {
  for (const [name, secret] of Object.entries(auth)) remember(name, secret, secrets)

  const isSet = (scheme: SecurityScheme): boolean => {
    if (!Object.hasOwn(auth, scheme.name)) return false
    return scheme.type !== "other" || scheme.scheme.toLowerCase() === "openidconnect"
  }
  const chosen = ({ security }: OperationPlan): SecurityRequirement | undefined =>
    security.find(({ schemes }) => schemes.length > 0 && schemes.every(isSet))

  const add = async (scheme: SecurityScheme, grant: Grant, signal: AbortSignal): Promise<void> => {
    const secret = auth[scheme.name]
    if (scheme.type === "apiKey") {
      const key = textOf(secret, scheme)
      if (scheme.in === "query") grant.query.push([scheme.key, key])
      else if (scheme.in === "header") grant.headers.push([scheme.key, key])
      else grant.headers.push(["cookie", `${scheme.key}=${encodeURIComponent(key)}`])
    } else if (scheme.type === "basic") {
      grant.headers.push(["authorization", `Basic ${basicOf(secret, scheme)}`])
    } else {
      const credentials = scheme.type === "oauth2" ? credentialsOf(secret, scheme) : undefined
      const token = credentials ? await tokens.get(credentials, signal) : textOf(secret, scheme)
      if (credentials) {
        secrets.add(scheme.name, token)
        grant.tokens.push(token)
      }
      grant.headers.push(["authorization", /^bearer /i.test(token) ? token : `Bearer ${token}`])
    }
  }

  return {
    async grant(plan, signal) {
      const grant: Grant = { headers: [], query: [], tokens: [] }
      for (const scheme of chosen(plan)?.schemes ?? []) await add(scheme, grant, signal)
      return grant
    },
    renew(grant) {
      for (const token of grant.tokens) tokens.forget(token)
      return grant.tokens.length > 0
    },
    explain(plan) {
      const used = chosen(plan)
      const names = (requirement: SecurityRequirement): string =>
        requirement.schemes.map(({ name }) => `\`auth.${name}\``).join(" and ")
      if (used) return `The secret in ${names(used)} of "${server}" in toolyard.json was not accepted.`
      const ways = plan.security.filter(({ schemes }) => schemes.length > 0).map(names)
      if (ways.length === 0) return undefined
      return `Set ${[...new Set(ways)].join(", or ")} of "${server}" in toolyard.json; use \${VARIABLE} for secrets.`
    },
  }
}

function textOf(secret: unknown, { name, type }: SecurityScheme): string {
  const text = isObject(secret) ? (secret.token ?? secret.key ?? secret.value) : secret
  if (typeof text === "string") return text
  throw unusable(name, type === "oauth2" ? "a token, or { clientId, clientSecret }" : "a text")
}

function basicOf(secret: unknown, { name }: SecurityScheme): string {
  const { username, password } = isObject(secret) ? secret : {}
  const pair = typeof username === "string" ? `${username}:${typeof password === "string" ? password : ""}` : secret
  if (typeof pair === "string" && pair.includes(":")) return Buffer.from(pair).toString("base64")
  throw unusable(name, '"user:password" or { username, password }')
}

function credentialsOf(secret: unknown, scheme: Extract<SecurityScheme, { type: "oauth2" }>) {
  if (!isObject(secret)) return undefined
  const {
    clientId = secret.client_id,
    clientSecret = secret.client_secret,
    tokenUrl = scheme.tokenUrl,
    scopes,
  } = secret
  if (clientId === undefined) return undefined
  if (typeof clientId !== "string" || typeof clientSecret !== "string")
    throw unusable(scheme.name, "{ clientId, clientSecret }")
  if (typeof tokenUrl !== "string" || !URL.canParse(tokenUrl))
    throw unusable(
      scheme.name,
      "{ clientId, clientSecret, tokenUrl }, since the description does not say where tokens are",
    )
  return { clientId, clientSecret, tokenUrl, scopes: Array.isArray(scopes) ? scopes.map(String) : scheme.scopes }
}

function unusable(name: string, wanted: string): YardError {
  return new YardError("config_invalid", `\`auth.${name}\` can't be used as it is`, {
    hint: `Write ${wanted} there in toolyard.json.`,
  })
}

/** Every text under `auth` is a secret, but for what only says where or who. */
function remember(name: string, secret: unknown, secrets: Secrets): void {
  if (typeof secret === "string") {
    secrets.add(name, secret.replace(/^bearer /i, ""))
    if (secret.includes(":")) secrets.add(name, secret.slice(secret.indexOf(":") + 1))
    return
  }
  if (!isObject(secret)) return
  for (const [key, value] of Object.entries(secret))
    if (typeof value === "string" && !/^(?:tokenUrl|clientId|client_id|username)$/.test(key)) secrets.add(name, value)
  if (typeof secret.username === "string" && typeof secret.password === "string")
    secrets.add(name, `${secret.username}:${secret.password}`)
}
