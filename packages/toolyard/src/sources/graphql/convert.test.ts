import { Ajv2020 } from "ajv/dist/2020.js"
import { buildSchema, introspectionFromSchema, parse, validate } from "graphql"
import { describe, expect, it } from "vitest"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { convertGraphQl, type GraphQlTools } from "./convert.ts"
import { type GraphQlTool, toDocument } from "./operation.ts"
import { SHOP } from "./shop-case.ts"

const convert = (text: string): GraphQlTools =>
  convertGraphQl({ kind: "graphql", bytes: Buffer.from(text), where: "shop.graphql" }) as GraphQlTools
const { tools, notes } = convert(SHOP)
const tool = (name: string): GraphQlTool => tools.find(({ definition }) => definition.name === name)!
const input = (name: string): JsonObject => tool(name).definition.inputSchema as JsonObject

describe("a GraphQL schema as tools", () => {
  it("makes a tool of each query and mutation, and says that subscriptions are left out", () => {
    expect(tools.map(({ definition }) => definition.name).slice(-3)).toEqual(["headers", "change", "count_mutation"])
    expect(tools).toHaveLength(14)
    expect(tool("product").definition).toMatchObject({
      description: "A product, by its id.",
      annotations: { readOnlyHint: true },
    })
    expect(tool("change").definition.annotations).toMatchObject({ readOnlyHint: false })
    expect(notes.join()).toContain("changed")
  })

  it("gives the same tools from the schema language and from introspection", () => {
    expect(convert(JSON.stringify({ data: introspectionFromSchema(buildSchema(SHOP)) })).tools).toEqual(tools)
  })

  it("describes arguments: what must be given, enums, lists, defaults, objects, scalars of the API's own", () => {
    expect(input("product")).toMatchObject({ properties: { id: { type: "string" } }, required: ["id"] })
    const { properties } = input("products") as { properties: JsonObject }
    expect(properties.first).toEqual({ type: "integer", default: 10 })
    expect(input("echo").properties).toEqual({
      value: { description: "Money" },
      list: { type: "array", items: { type: ["integer", "null"] } },
      size: { enum: ["SMALL", "LARGE"] },
    })
    expect(input("pick").properties).toMatchObject({ by: { minProperties: 1, maxProperties: 1 } })
  })

  it("puts input types that recur or are used twice under $defs, and no others", () => {
    expect(Object.keys(input("products").$defs as JsonObject).sort()).toEqual(["Filter", "Range"])
    expect(input("change")).not.toHaveProperty("$defs")
    const check = new Ajv2020({ strict: false }).compile(input("products"))
    expect(check({ filter: { exact: true, and: [{ exact: false, price: { min: 1 }, sizes: null }] } })).toBe(true)
    expect(check({ filter: { exact: true, and: [{ size: "SMALL" }] } })).toBe(false)
    expect(check({ filter: {} })).toBe(false)
  })

  it("has schemas that compile, and documents that are valid", () => {
    const schema = buildSchema(SHOP)
    for (const { definition, plan } of tools) {
      new Ajv2020({ strict: false }).compile(definition.inputSchema as JsonObject)
      expect(validate(schema, parse(toDocument(plan, plan.variables)))).toEqual([])
    }
  })

  it("selects what is plain, then what hangs on it, to a depth; nothing in circles, nothing that needs more", () => {
    expect(tool("product").plan.selection).toBe("{ id name price size maker { id name address { city } } }")
    expect(tool("count").plan.selection).toBe("")
    expect(tool("products").plan.selection).toBe(
      "{ nodes { id name price size maker { id name address { city } } } pageInfo { hasNextPage endCursor } }",
    )
    expect(tool("node").plan.selection).toMatch(/^\{ __typename id \.\.\. on Product \{ name price size \}/)
    expect(tool("search").plan.selection).toBe(
      "{ __typename ... on Product { id name price size } ... on Maker { id } ... on Fault { message } }",
    )
  })

  it("stays within a size, however large the types are", () => {
    const wide = Array.from({ length: 500 }, (_, index) => `field${index}: String child${index}: T${index}`).join("\n")
    const types = Array.from({ length: 500 }, (_, index) => `type T${index} { a: String b: String }`).join("\n")
    const [large] = convert(`type Query { root: Root } type Root { ${wide} } ${types}`).tools
    expect(large!.plan.selection.split(/\s+/).length).toBeLessThan(80)
    expect((large!.definition.inputSchema as { properties: JsonObject }).properties.select).toMatchObject({
      description: expect.stringMatching(/^.{1,220}$/),
    })
  })

  it("keeps names short and apart", () => {
    const long = "a".repeat(80)
    const names = convert(`type Query { ${long}1: Int ${long}2: Int x: Int } type Mutation { x: Int }`).tools.map(
      ({ definition }) => definition.name,
    )
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_]{1,56}$/)
  })

  it("says where a schema is wrong", () => {
    const failing = () => convert("type Query {\n  a: Int\n  b Int\n}")
    expect(failing).toThrow(YardError)
    expect(failing).toThrow(/shop\.graphql:3 is no GraphQL schema/)
  })
})

describe("a selection of the caller's own", () => {
  const check = (select: string, name = "product"): unknown =>
    convertGraphQl({
      kind: "graphql",
      bytes: Buffer.from(SHOP),
      where: "shop",
      check: { plan: tool(name).plan, select },
    })

  it("is taken when the schema has it, with or without braces", () => {
    expect(check("{ id maker { name } }")).toEqual({ selection: "{ id maker { name } }" })
    expect(check('id price(currency: "USD")')).toEqual({ selection: '{ id price(currency: "USD") }' })
    expect(check("{ __typename ... on Maker { name } }", "search")).toBeDefined()
  })

  it.each([
    ["{ id nam }", /Did you mean "name"/],
    ["{ id } evil: count { x", /not one selection|Syntax Error/],
    ["{ id } query Other { count }", /not one selection/],
    ["{ id } }", /Syntax Error/],
    ["{ ...Unknown }", /Unknown fragment/],
    ["{ secret(key: $key) }", /not defined/],
    ["{ maker }", /must have a selection/],
    ["{ }", /nothing is selected/],
    ["{ id maker { } }", /nothing is selected/],
  ])("is refused before anything is sent: %s", (select, message) => {
    expect(() => check(select)).toThrow(message)
    try {
      check(select)
    } catch (error) {
      expect(error).toMatchObject({
        code: "invalid_arguments",
        hint: expect.stringContaining("Product has id: ID!, name: String!"),
      })
    }
  })
})
