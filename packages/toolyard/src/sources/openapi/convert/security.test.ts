import { describe, expect, it } from "vitest"
import { convertOne } from "./convert-case.ts"

describe("the secrets of an operation", () => {
  const components = {
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api_key" },
      token: { type: "http", scheme: "Bearer" },
      app: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: {} } } },
      sign: { type: "http", scheme: "digest" },
    },
  }
  const security = (operation: object, rest: object = {}) =>
    convertOne({ ...operation }, { components, ...rest }).operation.security

  it("are alternatives of combinations, of the operation or of all", () => {
    expect(security({ security: [{ key: [], token: [] }, { app: ["read"] }, {}] })).toEqual([
      {
        schemes: [
          { name: "key", type: "apiKey", in: "query", key: "api_key" },
          { name: "token", type: "bearer" },
        ],
      },
      { schemes: [{ name: "app", type: "oauth2", tokenUrl: "https://docs.test/token", scopes: ["read"] }] },
      { schemes: [] },
    ])
    expect(security({}, { security: [{ sign: [] }] })).toEqual([
      { schemes: [{ name: "sign", type: "other", scheme: "digest" }] },
    ])
    expect(security({ security: [] }, { security: [{ key: [] }] })).toEqual([])
  })

  it("are guessed where they are not declared, and offered where nobody says they are needed", () => {
    const guessed = convertOne({ security: [{ bearerAuth: [] }] })
    expect(guessed.operation.security).toEqual([{ schemes: [{ name: "bearerAuth", type: "bearer" }] }])
    expect(guessed.codes).toContain("missing_security")
    const offered = security({})
    expect(offered.at(-1)).toEqual({ schemes: [] })
    expect(offered).toHaveLength(5)
  })

  it("are read from Swagger 2.0", () => {
    const rest = {
      openapi: undefined,
      swagger: "2.0",
      securityDefinitions: {
        b: { type: "basic" },
        o: { type: "oauth2", flow: "application", tokenUrl: "https://t.test/" },
      },
    }
    expect(convertOne({ security: [{ b: [], o: ["x"] }] }, rest).operation.security).toEqual([
      {
        schemes: [
          { name: "b", type: "basic" },
          { name: "o", type: "oauth2", tokenUrl: "https://t.test/", scopes: ["x"] },
        ],
      },
    ])
  })
})
