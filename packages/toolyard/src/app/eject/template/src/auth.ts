/** Secrets from the environment, as the API wants them. They are added to requests, and taken out of answers. */
import { isObject, percent } from "./encode.ts"

export interface Scheme {
  type: "apiKey" | "bearer" | "basic" | "oauth2"
  /** The environment variable that holds the secret. */
  variable: string
  /** For `apiKey`: where it goes, and under which name. */
  in?: "header" | "query" | "cookie"
  key?: string
  /** For `oauth2`: with `<variable>_CLIENT_ID` and `<variable>_CLIENT_SECRET` a token is fetched from here. */
  tokenUrl?: string
  scopes?: string[]
}

export interface Grant {
  headers: [string, string][]
  query: string[]
}

export interface Auth {
  /** The first of the alternatives whose secrets are all set; nothing where none is. */
  authorize(alternatives: string[][]): Promise<Grant>
  /** What to set when the API says no. */
  explain(alternatives: string[][]): string
  /** Whatever comes back is shown without secrets. */
  redact(text: string): string
  /** Tokens that were refused are not used again; true when others may be had. */
  forget(): boolean
}

export function createAuth(schemes: Record<string, Scheme>): Auth {
  const tokens = new Map<string, { token: string; until: number }>()
  const secrets = new Set<string>()
  const known = (name: string): Scheme | undefined => (Object.hasOwn(schemes, name) ? schemes[name] : undefined)

  const tokenOf = async (scheme: Scheme): Promise<string> => {
    const kept = tokens.get(scheme.variable)
    if (kept && kept.until > Date.now()) return kept.token
    const made = await fetchToken(scheme)
    tokens.set(scheme.variable, made)
    return made.token
  }

  return {
    async authorize(alternatives) {
      const chosen = alternatives.find(names => names.length > 0 && names.every(name => isSet(known(name))))
      const grant: Grant = { headers: [], query: [] }
      for (const name of chosen ?? []) {
        const scheme = known(name) as Scheme
        const secret = process.env[scheme.variable] || (await tokenOf(scheme))
        // Shorter ones would be found in words that have nothing to do with them.
        if (secret.length > 3) secrets.add(secret.replace(/^bearer /i, ""))
        add(scheme, secret, grant)
      }
      return grant
    },
    explain(alternatives) {
      const ways = alternatives
        .filter(names => names.length > 0)
        .map(names => names.map(name => known(name)?.variable ?? name).join(" and "))
      if (ways.length === 0) return ""
      return `It wants to know who calls: set ${[...new Set(ways)].join(", or ")} in the environment.`
    },
    redact: text => [...secrets].reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text),
    forget() {
      const had = tokens.size > 0
      tokens.clear()
      return had
    },
  }
}

function isSet(scheme: Scheme | undefined): boolean {
  return scheme !== undefined && (Boolean(process.env[scheme.variable]) || clientOf(scheme) !== undefined)
}

function add(scheme: Scheme, secret: string, grant: Grant): void {
  if (scheme.type === "apiKey") {
    const key = scheme.key ?? ""
    if (scheme.in === "query") grant.query.push(`${percent(key)}=${percent(secret)}`)
    else if (scheme.in === "header") grant.headers.push([key, secret])
    else grant.headers.push(["cookie", `${key}=${encodeURIComponent(secret)}`])
  } else if (scheme.type === "basic") {
    grant.headers.push(["authorization", `Basic ${Buffer.from(secret).toString("base64")}`])
  } else {
    grant.headers.push(["authorization", /^bearer /i.test(secret) ? secret : `Bearer ${secret}`])
  }
}

function clientOf({ type, variable, tokenUrl }: Scheme): { id: string; secret: string; url: string } | undefined {
  const [id, secret] = [process.env[`${variable}_CLIENT_ID`], process.env[`${variable}_CLIENT_SECRET`]]
  return type === "oauth2" && id && secret && tokenUrl ? { id, secret, url: tokenUrl } : undefined
}

async function fetchToken(scheme: Scheme): Promise<{ token: string; until: number }> {
  const client = clientOf(scheme)
  if (!client) throw new Error(`the environment variable ${scheme.variable} is not set`)
  const basic = Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString("base64")
  const body = new URLSearchParams({ grant_type: "client_credentials" })
  if (scheme.scopes?.length) body.set("scope", scheme.scopes.join(" "))
  const response = await fetch(client.url, {
    method: "POST",
    headers: { authorization: `Basic ${basic}`, accept: "application/json" },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok || !isObject(answer) || typeof answer.access_token !== "string")
    throw new Error(`no token could be had from ${new URL(client.url).origin}: ${response.status}`)
  const seconds = typeof answer.expires_in === "number" ? answer.expires_in : 300
  return { token: answer.access_token, until: Date.now() + Math.max(0, seconds - 30) * 1000 }
}
