import { afterEach, describe, expect, it } from "vitest"
import type { SecurityScheme } from "../operation.ts"
import { openWireCase, type Respond, textOf, type WireCase } from "./wire-case.ts"

const needs = (...schemes: SecurityScheme[]) => ({ schemes })
const header: SecurityScheme = { name: "head_key", type: "apiKey", in: "header", key: "X-Api-Key" }
const query: SecurityScheme = { name: "query_key", type: "apiKey", in: "query", key: "api key" }
const cookie: SecurityScheme = { name: "cookie_key", type: "apiKey", in: "cookie", key: "sid" }
const bearer: SecurityScheme = { name: "token", type: "bearer" }
const basic: SecurityScheme = { name: "login", type: "basic" }

describe("secrets on the wire", () => {
  const opened: WireCase[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(wire => wire.close()))
  })
  const open = async (respond?: Respond): Promise<WireCase> => {
    const wire = await openWireCase(respond)
    opened.push(wire)
    return wire
  }

  it("are sent where each scheme wants them", async () => {
    const wire = await open()
    const sent = async (scheme: SecurityScheme, secret: unknown) => {
      await wire.send({ path: "/x", security: [needs(scheme)] }, {}, { auth: { [scheme.name]: secret } })
      return wire.seen.at(-1)!
    }
    expect((await sent(header, "s3cret-1")).headers["x-api-key"]).toBe("s3cret-1")
    expect((await sent(query, "s3cret&2")).url).toBe("/x?api%20key=s3cret%262")
    expect((await sent(cookie, "s3cret;3")).headers.cookie).toBe("sid=s3cret%3B3")
    expect((await sent(bearer, "s3cret-4")).headers.authorization).toBe("Bearer s3cret-4")
    expect((await sent(bearer, "Bearer s3cret-4")).headers.authorization).toBe("Bearer s3cret-4")
    const expected = `Basic ${Buffer.from("jo:pass:word").toString("base64")}`
    expect((await sent(basic, "jo:pass:word")).headers.authorization).toBe(expected)
    expect((await sent(basic, { username: "jo", password: "pass:word" })).headers.authorization).toBe(expected)
    const openId: SecurityScheme = { name: "oidc", type: "other", scheme: "openIdConnect" }
    expect((await sent(openId, "s3cret-5")).headers.authorization).toBe("Bearer s3cret-5")
    expect((await sent({ name: "oa", type: "oauth2", scopes: [] }, "s3cret-6")).headers.authorization).toBe(
      "Bearer s3cret-6",
    )
  })

  it("are the first alternative that is set as a whole; several of one belong together", async () => {
    const wire = await open()
    const security = [needs(), needs(header, query), needs(bearer), needs(cookie)]
    const send = (auth: Record<string, unknown>) => wire.send({ security }, {}, { auth })
    await send({ head_key: "s3cret-1", token: "s3cret-4", cookie_key: "s3cret-3" })
    expect(wire.seen[0]!.headers).toMatchObject({ authorization: "Bearer s3cret-4" })
    expect(wire.seen[0]!.headers).not.toHaveProperty("x-api-key")
    await send({ head_key: "s3cret-1", query_key: "s3cret-2", token: "s3cret-4" })
    expect(wire.seen[1]).toMatchObject({ url: "/?api%20key=s3cret-2", headers: { "x-api-key": "s3cret-1" } })
    expect(wire.seen[1]!.headers).not.toHaveProperty("authorization")
    await send({})
    expect(wire.seen[2]!.headers).not.toHaveProperty("authorization")
  })

  it("are not sent with operations that do not ask for them", async () => {
    const wire = await open()
    await wire.send({ security: [] }, {}, { auth: { token: "s3cret-4" } })
    expect(wire.seen[0]!.headers).not.toHaveProperty("authorization")
  })

  it.each([401, 403])("are asked for by name when they are missing and the API says %i", async status => {
    const wire = await open((_request, response) => response.writeHead(status).end("who are you?"))
    const result = await wire.send({ security: [needs(header, query), needs(bearer)] })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain("who are you?")
    expect(textOf(result)).toMatch(
      /Set `auth.head_key` and `auth.query_key`, or `auth.token` of "api" in toolyard.json/,
    )
    const refused = await wire.send({ security: [needs(bearer)] }, {}, { auth: { token: "s3cret-4" } })
    expect(textOf(refused)).toContain('`auth.token` of "api"')
  })

  it("never come back: not in a result, a structure, an error, a header, a name or a kept answer", async () => {
    const echo: Respond = (request, response) => {
      const said = JSON.stringify({ ...request.headers, url: request.url })
      if (request.url.startsWith("/fail")) response.writeHead(500).end(said + "x".repeat(9000))
      else if (request.url.startsWith("/bytes"))
        response
          .writeHead(200, { "content-type": "application/zip" })
          .end(Buffer.concat([Buffer.from([255, 0]), Buffer.from(said)]))
      else if (request.url.startsWith("/events"))
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${said}\n\n`)
      else if (request.url.startsWith("/moved"))
        response.writeHead(302, { location: `http://x.example/?k=${said}` }).end()
      else if (request.url.startsWith("/made")) response.writeHead(201, { location: request.url }).end()
      else response.writeHead(200, { "content-type": "application/json" }).end(said)
    }
    const wire = await open(echo)
    const auth = {
      head_key: 'quo"ted-s3cret',
      query_key: "sp ace/s3cret",
      cookie_key: "s3cret-3",
      login: "jo:pass-s3cret",
    }
    const security = [needs(header, query, cookie, basic)]
    for (const path of ["/ok", "/fail", "/bytes", "/events", "/moved", "/made"]) {
      const result = await wire.send({ path, security }, {}, { auth })
      const shown = JSON.stringify(result) + [...wire.blobs.values()].map(({ bytes }) => Buffer.from(bytes)).join()
      for (const part of ["s3cret", Buffer.from("jo:pass-s3cret").toString("base64")]) expect(shown).not.toContain(part)
    }
    expect((await wire.send({ path: "/ok", security }, {}, { auth })).structuredContent).toMatchObject({
      "x-api-key": "[head_key]",
      authorization: "Basic [login]",
      cookie: "sid=[cookie_key]",
    })
  })

  it("do not follow a redirect to another host", async () => {
    const other = await open()
    const wire = await open((_request, response) => response.writeHead(307, { location: other.origin }).end())
    await wire.send({ security: [needs(header)] }, {}, { auth: { head_key: "s3cret-1" } })
    expect(wire.seen[0]!.headers["x-api-key"]).toBe("s3cret-1")
    expect(other.seen).toEqual([])
  })

  it("say what to write when they can't be used", async () => {
    const wire = await open()
    const send = (scheme: SecurityScheme, secret: unknown) =>
      wire.send({ security: [needs(scheme)] }, {}, { auth: { [scheme.name]: secret } })
    await expect(send(basic, "no-colon")).rejects.toMatchObject({ code: "config_invalid", hint: /user:password/ })
    await expect(send(bearer, 7)).rejects.toMatchObject({ code: "config_invalid" })
    const oauth: SecurityScheme = { name: "oa", type: "oauth2", scopes: [] }
    await expect(send(oauth, { clientId: "a", clientSecret: "b" })).rejects.toMatchObject({ hint: /tokenUrl/ })
  })
})

describe("OAuth client credentials", () => {
  const opened: WireCase[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(wire => wire.close()))
  })

  const openApi = async (options: { knows?: "header" | "body"; refuses?: string } = {}) => {
    let issued = 0
    const wire = await openWireCase((request, response) => {
      if (request.url !== "/token") {
        const isRefused = request.headers.authorization === options.refuses
        return response.writeHead(isRefused ? 401 : 200).end(request.headers.authorization)
      }
      const form = new URLSearchParams(request.body.toString())
      const isKnown =
        (options.knows ?? "header") === "header" ? request.headers.authorization : form.get("client_secret")
      if (!isKnown) return response.writeHead(401).end('{"error":"invalid_client"}')
      return response.end(JSON.stringify({ access_token: `issued-token-${++issued}`, expires_in: 3600 }))
    })
    opened.push(wire)
    const scheme: SecurityScheme = {
      name: "oa",
      type: "oauth2",
      tokenUrl: `${wire.origin}/token`,
      scopes: ["read", "write"],
    }
    const auth = { oa: { clientId: "my id", clientSecret: "client-s3cret" } }
    const send = () => wire.send({ path: "/x", security: [{ schemes: [scheme] }] }, {}, { auth })
    const tokenRequests = () => wire.seen.filter(({ url }) => url === "/token")
    return { wire, send, tokenRequests }
  }

  it("fetches a token and sends it, and shows neither it nor the secret", async () => {
    const { wire, send, tokenRequests } = await openApi()
    expect(textOf(await send())).toBe("Bearer [oa]")
    expect(wire.seen.at(-1)!.headers.authorization).toBe("Bearer issued-token-1")
    const [request] = tokenRequests()
    expect(request!.body.toString()).toBe("grant_type=client_credentials&scope=read+write")
    expect(request!.headers.authorization).toBe(`Basic ${Buffer.from("my%20id:client-s3cret").toString("base64")}`)
  })

  it("gives the secret in the body to those who know only that", async () => {
    const { send, tokenRequests } = await openApi({ knows: "body" })
    await send()
    expect(tokenRequests().at(-1)!.body.toString()).toContain("client_id=my+id&client_secret=client-s3cret")
  })

  it("fetches another one, once, when the API refuses it", async () => {
    const { wire, send, tokenRequests } = await openApi({ refuses: "Bearer issued-token-1" })
    expect((await send()).isError).toBeUndefined()
    expect(wire.seen.at(-1)!.headers.authorization).toBe("Bearer issued-token-2")
    expect(tokenRequests()).toHaveLength(2)
  })

  it("says so when there is no token to be had", async () => {
    const wire = await openWireCase((_request, response) =>
      response.writeHead(401).end('{"error":"invalid_client","error_description":"unknown"}'),
    )
    opened.push(wire)
    const scheme: SecurityScheme = { name: "oa", type: "oauth2", tokenUrl: `${wire.origin}/token`, scopes: [] }
    const auth = { oa: { clientId: "id", clientSecret: "client-s3cret" } }
    const failed = wire.send({ security: [{ schemes: [scheme] }] }, {}, { auth })
    await expect(failed).rejects.toMatchObject({ code: "needs_login", message: /invalid_client: unknown/ })
  })
})
