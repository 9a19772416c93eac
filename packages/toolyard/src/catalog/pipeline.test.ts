import { afterEach, describe, expect, it } from "vitest"
import { Call } from "../model/call.ts"
import type { Caller } from "../model/caller.ts"
import { type Policy, SERVER_DEFAULTS, type ServerConfig } from "../model/config.ts"
import { Emitter } from "../model/emitter.ts"
import { YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import type { Source, SourceEvents, YardAccess } from "../model/source.ts"
import { Audit, type AuditRow } from "../policy/audit.ts"
import { openState } from "../state/open.ts"
import { Catalog } from "./catalog.ts"
import type { Approve } from "./pipeline.ts"

const CALLER: Caller = { surface: "library", principal: "test" }

/** A source whose tools are functions of this test: the smallest real one. */
function inlineSource(
  tools: Record<string, { definition?: JsonObject; run: (args: JsonObject, call: Call) => Promise<JsonObject> }>,
): Source {
  const emitter = new Emitter<SourceEvents>()
  const definitions: ToolDefinition[] = Object.entries(tools).map(([name, { definition }]) => ({
    name,
    inputSchema: { type: "object" },
    ...definition,
  }))
  return {
    type: "inline",
    open: async () => {},
    list: () => ({ tools: definitions, resources: [], templates: [], prompts: [], capabilities: { tools: {} } }),
    health: () => ({ state: "up", since: 0 }),
    call: (name, args, call) => (tools[name] as (typeof tools)[string]).run(args, call),
    on: (event, listener) => emitter.on(event, listener),
    close: async () => {},
  }
}

const answer = (text: string): JsonObject => ({ content: [{ type: "text", text }] })

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function openCatalog(
  source: Source,
  config: Partial<ServerConfig> = {},
  policy: Policy = { default: "allow", rules: [], askTimeoutMs: 60_000 },
  approve?: Approve,
) {
  const state = await openState(undefined, () => {})
  const audit = new Audit(state.store, () => {})
  const warnings: string[] = []
  const catalog = new Catalog(policy, {
    openSource: () => source,
    cache: { get: () => undefined, set: () => {} },
    blobs: state.blobs,
    audit,
    approve,
    log: (_level, message) => warnings.push(message),
    start: Promise.resolve(),
    root: ".",
  })
  await catalog.configure([
    {
      name: "s",
      ...SERVER_DEFAULTS,
      entry: { type: "inline" },
      hash: "1",
      ...config,
    },
  ])
  closing.push(async () => {
    await catalog.close()
    await state.close()
  })
  const rows = async (): Promise<AuditRow[]> => audit.tail(100)
  return {
    catalog,
    state,
    rows,
    warnings,
    call: (id: string, args: JsonObject = {}) => catalog.call(new Call(CALLER), id, args),
  }
}

describe("the call pipeline", () => {
  it("N9 passes a call through and writes a row about it, without what was said", async () => {
    const { call, rows } = await openCatalog(inlineSource({ echo: { run: async args => answer(String(args.text)) } }))
    expect(await call("s__echo", { text: "a secret" })).toEqual(answer("a secret"))
    const [row] = await rows()
    expect(row).toMatchObject({ tool: "s__echo", server: "s", surface: "library", outcome: "ok" })
    expect(JSON.stringify(row)).not.toContain("a secret")
  })

  it("names the nearest tool when there is none of that name", async () => {
    const { call } = await openCatalog(inlineSource({ create_issue: { run: async () => answer("") } }))
    await expect(async () => call("s__create_isue")).rejects.toMatchObject({
      code: "unknown_tool",
      message: expect.stringContaining("s__create_issue"),
    })
  })

  it("refuses what the policy denies, asks for or guards, and says why", async () => {
    const source = inlineSource({
      a: { run: async () => answer("") },
      b: { run: async () => answer("") },
      c: { definition: { annotations: { readOnlyHint: false } }, run: async () => answer("") },
    })
    const { call, rows } = await openCatalog(
      source,
      { readOnly: true },
      {
        default: "allow",
        rules: [
          { match: ["s__a"], do: "deny" },
          { match: ["s__b"], do: "ask" },
        ],
        askTimeoutMs: 60_000,
      },
    )
    await expect(call("s__a")).rejects.toMatchObject({ code: "denied" })
    await expect(call("s__b")).rejects.toMatchObject({ code: "approval_required" })
    await expect(call("s__c")).rejects.toMatchObject({ code: "read_only" })
    expect((await rows()).map(({ outcome }) => outcome)).toEqual(["refused", "refused", "refused"])
  })

  it("checks arguments and says what is wrong with each", async () => {
    const inputSchema = {
      type: "object",
      properties: { n: { type: "number" }, mode: { enum: ["a", "b"] } },
      required: ["n"],
      additionalProperties: false,
    }
    const { call } = await openCatalog(
      inlineSource({ t: { definition: { inputSchema }, run: async () => answer("ok") } }),
    )
    await expect(call("s__t", { mode: "c", extra: 1 })).rejects.toMatchObject({
      code: "invalid_arguments",
      message: expect.stringMatching(/"n" is missing[\s\S]*"extra" is not known[\s\S]*one of \["a","b"\]|one of/),
    })
    expect(await call("s__t", { n: 1, mode: "a" })).toEqual(answer("ok"))
  })

  describe("where a person must decide", () => {
    const ASK: Policy = { default: "ask", rules: [], askTimeoutMs: 60_000 }
    const inputSchema = { type: "object", properties: { n: { type: "number" } } }

    async function openAsking(policy: Policy, approve: Approve) {
      const ran: JsonObject[] = []
      const run = async (args: JsonObject): Promise<JsonObject> => {
        ran.push(args)
        return answer("ok")
      }
      const source = inlineSource({ t: { definition: { inputSchema }, run } })
      return { ...(await openCatalog(source, {}, policy, approve)), ran }
    }

    it("N2 calls the tool after the approval and not before, with the arguments that were shown", async () => {
      const asked = Promise.withResolvers<unknown[]>()
      const approval = Promise.withResolvers<void>()
      const { call, ran } = await openAsking(ASK, (tool, because, _call, args) => {
        asked.resolve([tool.id, because, args])
        return approval.promise
      })
      const calling = call("s__t", { n: 1 })
      expect(await asked.promise).toEqual(["s__t", "policy.default is ask", { n: 1 }])
      expect(ran).toEqual([])
      approval.resolve()
      expect(await calling).toEqual(answer("ok"))
      expect(ran).toEqual([{ n: 1 }])
    })

    it("asks nobody about what is allowed, denied or wrong", async () => {
      const approve: Approve = () => expect.unreachable("it was asked")
      expect(await (await openAsking({ ...ASK, default: "allow" }, approve)).call("s__t")).toEqual(answer("ok"))
      const denied = (await openAsking({ ...ASK, default: "deny" }, approve)).call("s__t")
      await expect(denied).rejects.toMatchObject({ code: "denied" })
      const wrong = (await openAsking(ASK, approve)).call("s__t", { n: "x" })
      await expect(wrong).rejects.toMatchObject({ code: "invalid_arguments" })
    })

    it.each(["approval_denied", "approval_timeout"] as const)("refuses with %s as it is given", async code => {
      const { call, ran, rows } = await openAsking(ASK, () => Promise.reject(new YardError(code, "no")))
      await expect(call("s__t", { n: 1 })).rejects.toMatchObject({ code, message: "no" })
      expect(ran).toEqual([])
      expect(await rows()).toMatchObject([{ outcome: "refused", code }])
    })

    it("refuses what the rules deny by the time it is approved", async () => {
      const asked = Promise.withResolvers<void>()
      const approval = Promise.withResolvers<void>()
      const { call, catalog, ran } = await openAsking(ASK, () => {
        asked.resolve()
        return approval.promise
      })
      const calling = call("s__t")
      await asked.promise
      catalog.setPolicy({ ...ASK, default: "deny" })
      approval.resolve()
      await expect(calling).rejects.toMatchObject({ code: "denied" })
      expect(ran).toEqual([])
    })

    it("does not call the tool for a caller who left meanwhile", async () => {
      const { call, ran } = await openAsking(ASK, async (_tool, _because, waiting) =>
        waiting.abort(new YardError("cancelled", "the client left")),
      )
      await expect(call("s__t")).rejects.toMatchObject({ code: "cancelled", message: "the client left" })
      expect(ran).toEqual([])
    })
  })

  it("passes arguments through unchecked, with a warning, when the schema does not compile", async () => {
    const inputSchema = { type: "object", properties: { p: { type: "string", pattern: "(" } } }
    const { call, warnings } = await openCatalog(
      inlineSource({ t: { definition: { inputSchema }, run: async () => answer("ok") } }),
    )
    expect(await call("s__t", { p: 5 })).toEqual(answer("ok"))
    expect(warnings.join()).toContain("unchecked")
  })

  it("checks each tool by its own schema, even if two have the same $id", async () => {
    const schema = (type: string): JsonObject => ({
      $id: "https://example.com/same",
      type: "object",
      properties: { v: { type } },
    })
    const { call } = await openCatalog(
      inlineSource({
        a: { definition: { inputSchema: schema("string") }, run: async () => answer("a") },
        b: { definition: { inputSchema: schema("number") }, run: async () => answer("b") },
      }),
    )
    expect(await call("s__a", { v: "x" })).toEqual(answer("a"))
    expect(await call("s__b", { v: 1 })).toEqual(answer("b"))
    await expect(call("s__b", { v: "x" })).rejects.toMatchObject({ code: "invalid_arguments" })
  })

  it("V14 ends a call that takes too long, by the server's limit or the tool's own, and says so", async () => {
    const run = (_args: JsonObject, call: Call): Promise<JsonObject> =>
      new Promise((_resolve, reject) => call.onAbort({ onAbort: reject }))
    const { call, rows } = await openCatalog(inlineSource({ t: { run }, own: { run } }), {
      timeoutMs: 60,
      tools: { own: { timeoutMs: 20 } },
    })
    await expect(call("s__t")).rejects.toMatchObject({ code: "timeout", message: "s__t did not answer within 60 ms" })
    await expect(call("s__own")).rejects.toMatchObject({
      code: "timeout",
      message: "s__own did not answer within 20 ms",
    })
    expect((await rows())[0]).toMatchObject({ outcome: "failed", code: "timeout" })
  })

  it("stops the clock and frees the slot while a person is asked", async () => {
    const waiting = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const source = inlineSource({
      ask: {
        run: async (_args, call) => {
          call.clock?.wait(true)
          asked.resolve()
          await waiting.promise
          call.clock?.wait(false)
          return answer("answered")
        },
      },
      echo: { run: async () => answer("echo") },
    })
    const { catalog, call } = await openCatalog(source, { timeoutMs: 50, concurrency: 1 })
    const asking = call("s__ask")
    await asked.promise
    expect(await call("s__echo")).toEqual(answer("echo"))
    // Longer than the limit: what counts is that the call outlives it.
    await new Promise(resolve => setTimeout(resolve, 80))
    waiting.resolve()
    expect(await asking).toEqual(answer("answered"))
    expect(catalog.server("s")?.slots.used).toBe(0)
  })

  it("N3 keeps a result over the cap whole, and passes on a valid view that says where it is", async () => {
    const text = "é".repeat(6_000_000)
    const { call, state } = await openCatalog(inlineSource({ big: { run: async () => answer(text) } }))
    const view = await call("s__big")
    expect(JSON.stringify(view).length).toBeLessThan(100_000)
    const { uri, size } = (view._meta as { "toolyard/overflow": { uri: string; size: number } })["toolyard/overflow"]
    const blob = await state.blobs.get(uri.slice("cid://".length))
    expect(blob?.size).toBe(size)
    expect(JSON.parse(Buffer.from(blob?.bytes as Uint8Array).toString("utf8"))).toEqual(answer(text))
  })

  it("gives typed errors for whatever a source throws", async () => {
    const { call } = await openCatalog(inlineSource({ t: { run: () => Promise.reject(new TypeError("oops")) } }))
    await expect(call("s__t")).rejects.toBeInstanceOf(YardError)
  })

  it("T14 offers what include and exclude leave, under the names that rename gives", async () => {
    const source = inlineSource(
      Object.fromEntries(["get_a", "get_b", "set_a"].map(name => [name, { run: async () => answer(name) }])),
    )
    const { catalog, call } = await openCatalog(source, {
      include: ["get_*"],
      exclude: ["*_b"],
      rename: { get_a: "fetch_a" },
    })
    expect(catalog.tools().map(({ id }) => id)).toEqual(["s__fetch_a"])
    expect(await call("s__fetch_a")).toEqual(answer("get_a"))
  })
})

describe("a call that a tool makes while it works", () => {
  /** A source whose tools may call others; `yard` is what the catalog gave it. */
  function callingSource(tools: Parameters<typeof inlineSource>[0]) {
    let yard: YardAccess | undefined
    const source: Source = {
      ...inlineSource(tools),
      open: async context => {
        yard = context.yard
      },
    }
    return { source, call: (outer: Call, tool: string): Promise<JsonObject> => yard!.call(outer, tool, {}) }
  }

  it("is for the same caller, under the same rules, and has a row of its own", async () => {
    const { source, call: callOther } = callingSource({
      outer: { run: (_args, call) => callOther(call, "s__inner") },
      inner: { run: async () => answer("from inside") },
      forbidden: { run: async () => answer("never") },
      tries: { run: (_args, call) => callOther(call, "s__forbidden") },
    })
    const rules = [{ match: ["s__forbidden"], do: "deny" as const }]
    const { call, rows } = await openCatalog(source, {}, { default: "allow", rules, askTimeoutMs: 1_000 })
    expect(await call("s__outer")).toEqual(answer("from inside"))
    expect((await rows()).map(({ tool, surface }) => [tool, surface])).toEqual([
      ["s__outer", "library"],
      ["s__inner", "library"],
    ])
    await expect(call("s__tries")).rejects.toMatchObject({ code: "denied" })
  })

  it("does not wait for a slot of the server that makes it", async () => {
    const { source, call: callOther } = callingSource({
      outer: { run: (_args, call) => callOther(call, "s__inner") },
      inner: { run: async () => answer("got through") },
    })
    const { call } = await openCatalog(source, { concurrency: 1, timeoutMs: 5_000 })
    const results = await Promise.all([call("s__outer"), call("s__outer"), call("s__outer")])
    expect(results).toEqual([answer("got through"), answer("got through"), answer("got through")])
  })

  it("ends with the call around it", async () => {
    const reasons: string[] = []
    const { source, call: callOther } = callingSource({
      outer: { run: (_args, call) => callOther(call, "s__inner") },
      inner: {
        run: (_args, call) =>
          new Promise((_, reject) => {
            call.onAbort({
              onAbort: reason => {
                reasons.push(reason.code)
                reject(reason)
              },
            })
          }),
      },
    })
    const { catalog } = await openCatalog(source)
    const outer = new Call(CALLER)
    const calling = catalog.call(outer, "s__outer", {})
    setImmediate(() => outer.abort(new YardError("cancelled", "left")))
    await expect(calling).rejects.toMatchObject({ code: "cancelled" })
    expect(reasons).toEqual(["cancelled"])
  })

  it("comes to an end where tools call each other in a circle", async () => {
    const { source, call: callOther } = callingSource({
      circle: { run: (_args, call) => callOther(call, "s__circle") },
    })
    const { call } = await openCatalog(source)
    await expect(call("s__circle")).rejects.toMatchObject({ code: "overloaded" })
  })

  it("lets the time of the call around it stand still while a person is asked", async () => {
    const { source, call: callOther } = callingSource({
      outer: { run: (_args, call) => callOther(call, "s__inner") },
      inner: { run: async () => answer("approved") },
    })
    const rules = [{ match: ["s__inner"], do: "ask" as const }]
    const policy: Policy = { default: "allow", rules, askTimeoutMs: 60_000 }
    const approve: Approve = () => new Promise(resolve => setTimeout(resolve, 300))
    const { call } = await openCatalog(source, { timeoutMs: 100 }, policy, approve)
    expect(await call("s__outer")).toEqual(answer("approved"))
  })
})
