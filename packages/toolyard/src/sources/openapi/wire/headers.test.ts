import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import type { ParameterPlan } from "../operation.ts"
import { openWireCase, parameter, type Seen, type WireCase } from "./wire-case.ts"

describe("headers and cookies on the wire", () => {
  let wire: WireCase
  beforeAll(async () => {
    wire = await openWireCase()
  })
  afterAll(() => wire.close())

  const sent = async (parameters: ParameterPlan[], args: JsonObject, headers = {}): Promise<Seen["headers"]> => {
    await wire.send({ parameters }, args, { headers })
    return wire.seen.at(-1)!.headers
  }

  it("writes headers in the simple style, without encoding", async () => {
    const list = [parameter("header", "X-List")]
    expect((await sent(list, { "X-List": ["a b", "c"] }))["x-list"]).toBe("a b,c")
    expect((await sent(list, { "X-List": { a: 1, b: true } }))["x-list"]).toBe("a,1,b,true")
    const exploded = [parameter("header", "X-List", { explode: true })]
    expect((await sent(exploded, { "X-List": { a: 1, b: 2 } }))["x-list"]).toBe("a=1,b=2")
    const json = [parameter("header", "X-List", { content: "application/json" })]
    expect((await sent(json, { "X-List": { a: [1] } }))["x-list"]).toBe('{"a":[1]}')
    expect(await sent(list, { "X-List": null })).not.toHaveProperty("x-list")
  })

  it("sends what is not ASCII as UTF-8", async () => {
    const value = (await sent([parameter("header", "X-Name")], { "X-Name": "Zoë 😀" }))["x-name"] as string
    expect(Buffer.from(value, "latin1").toString()).toBe("Zoë 😀")
  })

  it("writes cookies in the form style, encoded", async () => {
    const cookie = async (value: unknown, explode = true) =>
      (await sent([parameter("cookie", "c", { explode }), parameter("cookie", "d")], { c: value, d: "2" })).cookie
    expect(await cookie("a b; admin=1")).toBe("c=a%20b%3B%20admin%3D1; d=2")
    expect(await cookie(["x", "y"])).toBe("c=x; c=y; d=2")
    expect(await cookie(["x", "y"], false)).toBe("c=x,y; d=2")
    expect(await cookie({ "k; admin": 1 })).toBe("k%3B%20admin=1; d=2")
  })

  it.each(["a\r\nX-Evil: 1", "a\nb", "a\0b", "\ud800"])(
    "refuses a value that could end the header: %j",
    async value => {
      const count = wire.seen.length
      const refused = expect(sent([parameter("header", "X-Name")], { "X-Name": value })).rejects
      await refused.toMatchObject({ code: "invalid_arguments", message: expect.stringContaining("X-Name") })
      expect(wire.seen).toHaveLength(count)
    },
  )

  it.each(["Host", "Content-Length", "Transfer-Encoding", "Connection"])("does not let %s be set", async name => {
    const refused = expect(sent([parameter("header", name)], { [name]: "1" })).rejects
    await refused.toMatchObject({ code: "invalid_arguments" })
  })

  it("sends the entry's headers with every request; arguments go before them", async () => {
    const headers = await sent([parameter("header", "X-B")], { "X-B": "arg" }, { "X-A": "1", "x-b": "entry" })
    expect(headers).toMatchObject({ "x-a": "1", "x-b": "arg", "user-agent": expect.stringMatching(/^toolyard\//) })
    expect(headers.accept).toContain("application/json")
    expect((await sent([parameter("header", "Accept")], { Accept: "text/csv" })).accept).toBe("text/csv")
  })
})
