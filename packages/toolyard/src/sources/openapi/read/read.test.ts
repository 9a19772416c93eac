import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { toOperations } from "../convert/operations.ts"
import { type Load, loadReferences, readDescription } from "./description.ts"
import { readProjectFile } from "./project-files.ts"

const WHERE = "https://docs.test/api/openapi.yaml"

describe("reading a description", () => {
  it("takes JSON and YAML, any version, also where YAML makes a number of it", () => {
    for (const text of [
      '{"openapi":"3.0.0","paths":{}}',
      '\uFEFF{"swagger":"2.0","paths":{}}',
      "openapi: 3.1.2\npaths: {}",
      "openapi: 3.2.0\npaths: {}",
      "swagger: 2.0\npaths: {}",
      "{openapi: 3.0.4, paths: {}}",
    ]) {
      expect(readDescription(text, WHERE).root.paths).toEqual({})
    }
  })

  it("says at which line the text is wrong", () => {
    expect(() => readDescription('{\n  "openapi": "3.0.0",\n  "paths": {,}\n}', WHERE)).toThrow(
      /openapi\.yaml.* line 3/,
    )
    expect(() => readDescription("openapi: 3.0.0\npaths:\n  /a: [1\n  /b: 2", WHERE)).toThrow(/line 4/)
  })

  it("refuses what is no description", () => {
    expect(() => readDescription("<html><body>Not found</body></html>", WHERE)).toThrow(
      /can't be read|no API description/,
    )
    expect(() => readDescription('{"name":"x"}', WHERE)).toThrow(/neither "openapi" nor "swagger"/)
    expect(() => readDescription("[1]", WHERE)).toThrow(/holds no object/)
    expect(() => readDescription("openapi: 3.0.0\npaths: {}", "relative.yaml")).toThrow(
      /neither an URL nor an absolute path/,
    )
  })

  it("reads aliases and merge keys of YAML", () => {
    const { root } = readDescription(
      "openapi: 3.0.0\nx-a: &a {type: string}\npaths: {}\ncomponents:\n  schemas:\n    B: {<<: *a, maxLength: 3}\n    C: *a",
      WHERE,
    )
    expect(root.components).toEqual({ schemas: { B: { type: "string", maxLength: 3 }, C: { type: "string" } } })
  })
})

describe("what a description refers to", () => {
  let root = ""
  let project = ""
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "toolyard-openapi-"))
    project = join(root, "project")
    await mkdir(join(project, "schemas"), { recursive: true })
    await writeFile(join(root, "secret.json"), '{"type":"string","description":"secret"}')
    await writeFile(
      join(project, "schemas/pet.yaml"),
      "type: object\nproperties:\n  owner: {$ref: 'owner.json#/Owner'}\n",
    )
    await writeFile(
      join(project, "schemas/owner.json"),
      JSON.stringify({
        Owner: { type: "object", properties: { pets: { type: "array", items: { $ref: "pet.yaml" } } } },
      }),
    )
    await symlink(join(root, "secret.json"), join(project, "link.json"))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  const document = (schema: unknown, rest: JsonObject = {}) =>
    JSON.stringify({
      openapi: "3.1.0",
      servers: [{ url: "https://api.test" }],
      paths: { "/x": { post: { requestBody: { content: { "application/json": { schema } } } } } },
      ...rest,
    })
  const convert = async (text: string, where: string, load: Load) => {
    const description = readDescription(text, where)
    await loadReferences(description, load)
    const { tools, report } = toOperations(description)
    const schema = tools[0]!.definition.inputSchema as JsonObject & { properties: { body: JsonObject } }
    return { schema, body: schema.properties.body, report }
  }
  const fromProject: Load = uri => readProjectFile(project, uri)

  it("may be in files beside it, also in a circle", async () => {
    const { schema, report } = await convert(
      document({ $ref: "schemas/pet.yaml" }),
      join(project, "api.json"),
      fromProject,
    )
    expect(schema.$defs).toEqual({
      pet: {
        type: "object",
        properties: {
          owner: {
            type: "object",
            properties: { pets: { type: "array", items: { $ref: "#/$defs/pet" } } },
          },
        },
      },
    })
    expect(report).toEqual([])
  })

  it("is not read outside of the project, not through links either", async () => {
    for (const reference of ["../secret.json", "link.json", pathToFileURL(join(root, "secret.json")).href]) {
      const { body, report } = await convert(document({ $ref: reference }), join(project, "api.json"), fromProject)
      expect(body).toEqual({})
      expect(report[0]).toMatchObject({
        code: "broken_ref",
        message: expect.stringContaining("outside of the project"),
      })
    }
  })

  it("is no file where the description came from elsewhere", async () => {
    const { body, report } = await convert(
      document({ $ref: pathToFileURL(join(project, "schemas/pet.yaml")).href }),
      WHERE,
      fromProject,
    )
    expect(body).toEqual({})
    expect(report[0]?.code).toBe("broken_ref")
  })

  it("is loaded once each, from the address relative to the one that refers to it", async () => {
    const asked: string[] = []
    const load: Load = async uri => {
      asked.push(uri)
      return uri.endsWith("a.json")
        ? '{"type":"object","properties":{"b":{"$ref":"sub/b.json#/B"}}}'
        : '{"B":{"type":"integer"}}'
    }
    const schema = {
      type: "object",
      properties: { one: { $ref: "parts/a.json" }, two: { $ref: "./parts/a.json#/properties/b" } },
    }
    const { body } = await convert(document(schema), WHERE, load)
    expect(asked).toEqual(["https://docs.test/api/parts/a.json", "https://docs.test/api/parts/sub/b.json"])
    expect(body.properties).toEqual({
      one: { type: "object", properties: { b: { type: "integer" } } },
      two: { type: "integer" },
    })
  })

  it("costs nothing but itself when it can't be had", async () => {
    const load: Load = async () => {
      throw new Error("that host is not allowed")
    }
    const schema = { type: "object", properties: { a: { $ref: "https://evil.test/a.json" }, b: { type: "string" } } }
    const { body, report } = await convert(document(schema), WHERE, load)
    expect(body.properties).toEqual({ a: {}, b: { type: "string" } })
    expect(report[0]?.message).toContain("that host is not allowed")
  })

  it("may be named by $id and $anchor", async () => {
    const schemas = {
      A: {
        $id: "https://ids.test/a",
        type: "object",
        properties: { self: { $ref: "#/properties/n" }, n: { type: "integer" } },
      },
      B: { $anchor: "bee", type: "boolean" },
    }
    const schema = { type: "object", properties: { a: { $ref: "https://ids.test/a" }, b: { $ref: "#bee" } } }
    const asked: string[] = []
    const { body } = await convert(document(schema, { components: { schemas } }), WHERE, async uri => {
      asked.push(uri)
      return "{}"
    })
    expect(asked).toEqual([])
    expect(body.properties).toEqual({
      a: { type: "object", properties: { self: { type: "integer" }, n: { type: "integer" } } },
      b: { type: "boolean" },
    })
  })
})
