import { describe, expect, it } from "vitest"
import { convert } from "./convert-case.ts"
import { NO_SERVER } from "./servers.ts"

describe("where requests go", () => {
  const url = (operation: object, rest: object, where?: string) =>
    convert({ servers: undefined, paths: { "/x": { get: operation } }, ...rest }, where === undefined ? {} : { where })
      .tools[0]!.operation.servers[0]

  it("is declared by the operation, its path or the document, in this order", () => {
    const at = (name: string) => [{ url: `https://${name}.test/` }]
    expect(url({ servers: at("op") }, { servers: at("root") })?.url).toBe("https://op.test")
    const item = { "/x": { servers: at("path"), get: {} } }
    expect(url({}, { servers: at("root"), paths: item })?.url).toBe("https://path.test")
    expect(url({}, { servers: at("root") })?.url).toBe("https://root.test")
  })

  it("is the host that the description came from where none is named, or a relative one", () => {
    expect(url({}, {})?.url).toBe("https://docs.test")
    expect(url({}, { servers: [{ url: "/api/{v}", variables: { v: { default: "2" } } }] })).toEqual({
      url: "https://docs.test/api/{v}",
      variables: { v: { default: "2" } },
    })
    expect(url({}, { servers: [{ url: "./sub" }] })?.url).toBe("https://docs.test/v1/sub")
    expect(url({}, { servers: [{ url: "api.test/v2" }] })?.url).toBe("https://api.test/v2")
    expect(url({}, {}, "/project/openapi.json")?.url).toBe(NO_SERVER)
  })

  it("has variables with their values; one without any is reported", () => {
    const servers = [{ url: "{scheme}://{host}.test", variables: { scheme: { enum: ["http", "https"] } } }]
    const { tools, codes } = convert({ servers, paths: { "/x": { get: {} } } })
    expect(tools[0]!.operation.servers[0]!.variables).toEqual({
      scheme: { default: "http", enum: ["http", "https"] },
      host: { default: "" },
    })
    expect(codes).toContain("server_variable")
  })

  it("is put together from host, basePath and schemes in Swagger 2.0", () => {
    const swagger = {
      openapi: undefined,
      swagger: "2.0",
      host: "old.test:81",
      basePath: "/v1/",
      schemes: ["http", "https"],
    }
    expect(url({}, swagger)?.url).toBe("https://old.test:81/v1")
    expect(url({ schemes: ["http"] }, swagger)?.url).toBe("http://old.test:81/v1")
    expect(url({}, { ...swagger, host: undefined })?.url).toBe("https://docs.test/v1")
  })
})
