/** Tokens by OAuth 2.0 client credentials: fetched when first needed, kept until they end, fetched once for all who wait. */
import { YardError } from "../../../model/errors.ts"
import { isObject } from "../../../model/json.ts"
import { readAll } from "./read-all.ts"
import type { Transport } from "./transport.ts"

export interface ClientCredentials {
  tokenUrl: string
  clientId: string
  clientSecret: string
  scopes: string[]
}

export interface Tokens {
  get(credentials: ClientCredentials, signal: AbortSignal): Promise<string>
  /** The token was refused: the next one is fetched anew. */
  forget(token: string): void
}

interface Kept {
  token: Promise<string>
  value?: string
  endsAt: number
}

const MAX_ANSWER_BYTES = 1_000_000
const DEFAULT_LIFE_S = 3600
/** So that a token does not end on its way. */
const MARGIN_S = 30

export function createTokens(transport: Transport, closing: AbortSignal): Tokens {
  const kept = new Map<string, Kept>()

  const fetchInto = async (entry: Kept, credentials: ClientCredentials): Promise<string> => {
    const { token, lifeS } = await fetchToken(transport, credentials, closing)
    entry.value = token
    entry.endsAt = Date.now() + Math.max(lifeS - MARGIN_S, lifeS / 2) * 1000
    return token
  }

  return {
    get(credentials, signal) {
      const key = JSON.stringify(credentials)
      let entry = kept.get(key)
      if (!entry || entry.endsAt <= Date.now()) {
        const fresh: Kept = { token: Promise.resolve(""), endsAt: Number.POSITIVE_INFINITY }
        // Not with the caller's signal: others may wait for the same token.
        fresh.token = fetchInto(fresh, credentials)
        fresh.token.catch(() => kept.get(key) === fresh && kept.delete(key))
        kept.set(key, fresh)
        entry = fresh
      }
      const { token } = entry
      return new Promise((done, fail) => {
        const stop = (): void => fail(signal.reason)
        if (signal.aborted) stop()
        signal.addEventListener("abort", stop)
        token.then(done, fail).finally(() => signal.removeEventListener("abort", stop))
      })
    },
    forget(token) {
      for (const [key, entry] of kept) if (entry.value === token) kept.delete(key)
    },
  }
}

async function fetchToken(
  transport: Transport,
  credentials: ClientCredentials,
  signal: AbortSignal,
): Promise<{ token: string; lifeS: number }> {
  // In a header as the standard wants it; in the body for those who know only that.
  const first = await ask(transport, credentials, "header", signal)
  const answer =
    first.status === 400 || first.status === 401 ? await ask(transport, credentials, "body", signal) : first
  const { access_token: token, expires_in: life, error, error_description: description } = answer.body
  if (answer.status < 300 && typeof token === "string" && token !== "")
    return { token, lifeS: Number(life) > 0 ? Number(life) : DEFAULT_LIFE_S }
  const said = [error, description].filter(part => typeof part === "string").join(": ")
  const host = new URL(credentials.tokenUrl).host
  throw new YardError("needs_login", `${host} gave no token (${answer.status}${said === "" ? "" : `, ${said}`})`, {
    hint: "Check the client's id and secret under `auth` of the server in toolyard.json.",
  })
}

async function ask(
  transport: Transport,
  { tokenUrl, clientId, clientSecret, scopes }: ClientCredentials,
  how: "header" | "body",
  signal: AbortSignal,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const url = new URL(tokenUrl)
  const form = new URLSearchParams({ grant_type: "client_credentials" })
  if (scopes.length > 0) form.set("scope", scopes.join(" "))
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString("base64")
  if (how === "body") {
    form.set("client_id", clientId)
    form.set("client_secret", clientSecret)
  }
  const response = await transport.send(
    {
      method: "POST",
      origin: url.origin,
      path: url.pathname + url.search,
      headers: [
        ["content-type", "application/x-www-form-urlencoded"],
        ["accept", "application/json"],
        ...(how === "header" ? [["authorization", `Basic ${basic}`] as [string, string]] : []),
      ],
      body: Buffer.from(form.toString()),
    },
    signal,
  )
  const { bytes } = await readAll(response.body, MAX_ANSWER_BYTES)
  try {
    const body: unknown = JSON.parse(bytes.toString())
    return { status: response.status, body: isObject(body) ? body : {} }
  } catch {
    return { status: response.status, body: {} }
  }
}
