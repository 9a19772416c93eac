import { describe, expect, it } from "vitest"
import { convert, convertOne } from "./convert-case.ts"

describe("the tools of a description", () => {
  it("are named by operationId made legal, else by method and path", () => {
    const { tools } = convert({
      paths: {
        "/pets/{petId}": { get: {}, delete: { operationId: "pets/delete one" } },
        "/pets": { get: { operationId: "listPets" }, post: { operationId: "créer" } },
      },
    })
    expect(tools.map(({ definition }) => definition.name)).toEqual([
      "get_pets_by_petId",
      "pets_delete_one",
      "listPets",
      "creer",
    ])
    expect(tools.map(({ operation }) => operation.id)).toEqual([
      "GET /pets/{petId}",
      "pets/delete one",
      "listPets",
      "créer",
    ])
  })

  it("keep their names apart, short, and the same whatever is left out", () => {
    const paths = {
      "/a": { get: { operationId: "same" }, post: { operationId: "same" } },
      "/b": { get: { operationId: `${"long".repeat(20)}A` }, put: { operationId: `${"long".repeat(20)}B` } },
    }
    const { tools, codes } = convert({ paths })
    const names = tools.map(({ definition }) => definition.name)
    expect(names.slice(0, 2)).toEqual(["same", "post_a"])
    expect(new Set(names).size).toBe(4)
    expect(names.every(name => name.length <= 56)).toBe(true)
    expect(codes).toContain("duplicate_operation_id")
    const some = convert({ paths }, { exclude: ["method:get"] }).tools.map(({ definition }) => definition.name)
    expect(some).toEqual([names[1], names[3]])
  })

  it("say what they do: title, text without markup, that they are deprecated", () => {
    const { definition } = convertOne({
      summary: "Add a thing.",
      description:
        "Adds <b>one</b> [thing](https://x.test/long). For more information, see the manual.\n\n\n## Notes\nSlow.",
      deprecated: true,
    })
    expect(definition.title).toBe("Add a thing")
    expect(definition.description).toBe("Deprecated. Add a thing.\nAdds one thing.\nNotes\nSlow.")
  })

  it("do not say the same twice, and cut what is long at the end of a sentence", () => {
    expect(convertOne({ summary: "List pets", description: "List pets of the shop." }).definition.description).toBe(
      "List pets of the shop.",
    )
    const { definition } = convertOne({ description: "One sentence is here. ".repeat(200) })
    expect(String(definition.description).length).toBeLessThan(600)
    expect(definition.description).toMatch(/here\.$/)
  })

  it("have hints from their method", () => {
    const hints = (method: string) => convertOne({}, {}, "/x", method).definition.annotations
    expect(hints("get")).toEqual({ readOnlyHint: true, openWorldHint: true })
    expect(hints("head")).toMatchObject({ readOnlyHint: true })
    expect(hints("put")).toEqual({ readOnlyHint: false, idempotentHint: true, openWorldHint: true })
    expect(hints("delete")).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
    expect(hints("patch")).toEqual({ readOnlyHint: false, openWorldHint: true })
  })

  it("are chosen by tag, path, method, operation and name", () => {
    const paths = {
      "/pets": { get: { operationId: "listPets", tags: ["pets"] }, post: { operationId: "addPet", tags: ["pets"] } },
      "/pets/{id}/toys": { get: { operationId: "listToys", tags: ["toys"] } },
      "/shop": { get: { operationId: "getShop" } },
    }
    const chosen = (include?: string[], exclude?: string[]) =>
      convert({ paths }, { include, exclude }).tools.map(({ definition }) => definition.name)
    expect(chosen(["tag:pets"])).toEqual(["listPets", "addPet"])
    expect(chosen(["path:/pets/**"])).toEqual(["listToys"])
    expect(chosen(["path:/*"])).toEqual(["listPets", "addPet", "getShop"])
    expect(chosen(["method:post"])).toEqual(["addPet"])
    expect(chosen(["operation:listPets", "get*"])).toEqual(["listPets", "getShop"])
    expect(chosen(["list*"], ["tag:toys"])).toEqual(["listPets"])
    expect(chosen([], ["method:GET"])).toEqual(["addPet"])
    expect(chosen(["operation:list.ets"])).toEqual([])
  })

  it("include methods of 3.2 and paths that are elsewhere", () => {
    const { tools } = convert({
      openapi: "3.2.0",
      paths: { "/a": { query: {}, additionalOperations: { COPY: {} } }, "/b": { $ref: "#/components/pathItems/B" } },
      components: { pathItems: { B: { get: { operationId: "b" } } } },
    })
    expect(tools.map(({ operation }) => `${operation.method} ${operation.path}`)).toEqual([
      "QUERY /a",
      "COPY /a",
      "GET /b",
    ])
  })

  it("leave out of the path what follows #, which only tells them apart", () => {
    const { tools } = convert({ paths: { "/#Target=A": { post: {} }, "/#Target=B": { post: {} } } })
    expect(tools.map(({ operation }) => operation.path)).toEqual(["/", "/"])
    expect(new Set(tools.map(({ definition }) => definition.name)).size).toBe(2)
  })
})
