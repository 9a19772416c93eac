import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { toOperations } from "../convert/operations.ts"
import { readDescription } from "./description.ts"

const toolsOf = (document: JsonObject) =>
  toOperations(readDescription(JSON.stringify(document), "https://docs.test/collection.json")).tools

const collection = (item: unknown[], rest: JsonObject = {}) => ({
  info: { name: "Pets", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  item,
  ...rest,
})

describe("a Postman collection", () => {
  it("gives a tool for each request, folders as tags, with variables, auth and bodies", () => {
    const tools = toolsOf(
      collection(
        [
          {
            name: "Pets",
            item: [
              {
                name: "Get pet",
                request: {
                  method: "GET",
                  description: "One pet.",
                  url: {
                    raw: "{{baseUrl}}/pets/:petId?full=true",
                    query: [
                      { key: "full", value: "true", description: "All fields." },
                      { key: "off", disabled: true },
                    ],
                  },
                  header: [
                    { key: "X-Trace", value: "1" },
                    { key: "Authorization", value: "Bearer hunter2" },
                  ],
                },
                response: [{ code: 200, body: '{"id":1,"name":"Rex"}' }],
              },
              {
                name: "Add pet",
                request: {
                  method: "POST",
                  url: "{{baseUrl}}/pets",
                  body: { mode: "raw", raw: '{"name":"Rex","age":{{age}}}' },
                },
              },
              {
                name: "Add photo",
                request: {
                  method: "POST",
                  auth: { type: "noauth" },
                  url: "https://{{region}}.files.test/photos",
                  body: {
                    mode: "formdata",
                    formdata: [
                      { key: "photo", type: "file" },
                      { key: "note", value: "x" },
                    ],
                  },
                },
              },
            ],
          },
        ],
        {
          variable: [{ key: "baseUrl", value: "https://api.test/v1/" }],
          auth: {
            type: "apikey",
            apikey: [
              { key: "key", value: "X-Key" },
              { key: "value", value: "hunter2" },
            ],
          },
        },
      ),
    )
    const [get, add, photo] = tools
    expect(tools.map(({ definition }) => definition.name)).toEqual(["Get_pet", "Add_pet", "Add_photo"])
    expect(get!.operation).toMatchObject({
      method: "GET",
      path: "/pets/{petId}",
      servers: [{ url: "https://api.test/v1" }],
      security: [{ schemes: [{ type: "apiKey", in: "header", key: "X-Key" }] }],
    })
    expect(get!.operation.parameters.map(parameter => [parameter.in, parameter.name])).toEqual([
      ["query", "full"],
      ["header", "X-Trace"],
      ["path", "petId"],
    ])
    expect(get!.definition.outputSchema).toMatchObject({ properties: { id: { type: ["integer", "null"] } } })
    expect(add!.definition.inputSchema).toMatchObject({
      properties: { body: { properties: { name: { type: "string" }, age: { type: "integer" } } } },
    })
    expect(photo!.operation).toMatchObject({
      security: [],
      servers: [{ url: "https://{region}.files.test", variables: { region: { default: "" } } }],
      body: { contents: [{ mediaType: "multipart/form-data", files: ["photo"] }] },
    })
    expect(JSON.stringify(tools)).not.toContain("hunter2")
  })

  it("keeps requests apart that differ in nothing but their samples", () => {
    const request = { method: "GET", url: "https://api.test/a" }
    const tools = toolsOf(
      collection([
        { name: "one", request },
        { name: "two", request },
        { name: "two", request },
      ]),
    )
    expect(tools.map(({ operation }) => operation.path)).toEqual(["/a", "/a", "/a"])
    expect(new Set(tools.map(({ definition }) => definition.name)).size).toBe(3)
  })
})

describe("a HAR file", () => {
  const entry = (method: string, url: string, more: JsonObject = {}, answer = '{"id":7,"token":"hunter2"}') => ({
    request: { method, url, headers: [{ name: "Authorization", value: "Bearer hunter2" }], ...more },
    response: { status: 200, content: { mimeType: "application/json", text: answer } },
  })

  it("gives a tool for each kind of request, without any value that was recorded", () => {
    const tools = toolsOf({
      log: {
        entries: [
          entry("GET", "https://api.test/pets/17?full=hunter2"),
          entry("GET", "https://api.test/pets/99?sort=hunter2", {}, '{"id":8,"name":null}'),
          entry("POST", "https://api.test/pets", {
            postData: { mimeType: "application/json", text: '{"name":"hunter2","tags":["hunter2"]}' },
          }),
          {
            request: { method: "GET", url: "https://api.test/logo.png" },
            response: { content: { mimeType: "image/png" } },
          },
        ],
      },
    })
    expect(tools.map(({ operation }) => `${operation.method} ${operation.path}`)).toEqual([
      "GET /pets/{petId}",
      "POST /pets",
    ])
    const [get, post] = tools
    expect(get!.operation.parameters.map(({ name }) => name)).toEqual(["full", "sort", "petId"])
    expect(get!.operation.security).toEqual([{ schemes: [{ name: "bearer", type: "bearer" }] }])
    expect(get!.operation.servers[0]?.url).toBe("https://api.test")
    expect(Object.keys((get!.definition.outputSchema as { properties: object }).properties)).toEqual([
      "id",
      "token",
      "name",
    ])
    expect(post!.definition.inputSchema).toMatchObject({
      properties: {
        body: { properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } } },
      },
    })
    expect(JSON.stringify(tools)).not.toContain("hunter2")
  })
})
