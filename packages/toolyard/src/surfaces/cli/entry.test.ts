import { describe, expect, it } from "vitest"
import { secretsIn, toEntry } from "./entry.ts"

describe("an entry from the command line", () => {
  it("is a program, an address, or whatever is written out", () => {
    expect(toEntry({}, ["npx", "-y", "x"])).toEqual({ type: "stdio", command: "npx", args: ["-y", "x"] })
    expect(toEntry({ url: "https://a.test" }, [])).toEqual({ type: "http", url: "https://a.test" })
    expect(toEntry({ tool: true }, ["df", "-h", "{{path}}"])).toEqual({
      type: "command",
      command: "df",
      args: ["-h", "{{path}}"],
    })
    expect(toEntry({ file: "a.ts", env: ["A=b"] }, [])).toEqual({ type: "module", file: "a.ts", env: { A: "b" } })
    expect(toEntry({ file: "a.py" }, [])).toEqual({ type: "python", file: "a.py" })
    expect(toEntry({ static: true }, [])).toEqual({ type: "static", tools: {}, resources: {}, prompts: {} })
    expect(toEntry({ openapi: "pets.yaml" }, [])).toEqual({ type: "openapi", spec: "pets.yaml" })
    expect(toEntry({ graphql: "https://a.test" }, [])).toEqual({ type: "graphql", url: "https://a.test" })
    expect(toEntry({ prompt: "pets" }, [])).toEqual({ type: "prompt", prompt: "pets" })
    expect(toEntry({ entry: '{"type":"module","file":"./a.ts"}', description: "d" }, [])).toEqual({
      type: "module",
      file: "./a.ts",
      description: "d",
    })
  })

  it("is exactly one of them, with the options that belong to it", () => {
    expect(() => toEntry({}, [])).toThrow("what is the server?")
    expect(() => toEntry({ url: "https://a.test", entry: "{}" }, [])).toThrow("exclude each other")
    expect(() => toEntry({ header: ["A=b"] }, ["node"])).toThrow("--header belongs to --openapi or --graphql or --url")
    expect(() => toEntry({ url: "https://a.test", env: ["A=b"] }, [])).toThrow("--env belongs to a command or --file")
    expect(() => toEntry({ tool: true, file: "a.ts" }, [])).toThrow("--tool belongs to a command")
  })

  it("does not repeat what it can't read, which may hold a secret", () => {
    expect(() => toEntry({ entry: '{"env": "hunter2"' }, [])).toThrow(/^--entry is not a JSON object$/)
  })
})

describe("secrets in an entry", () => {
  it("are told by name or by their look", () => {
    expect(secretsIn({ env: { API_KEY: "x", HOME: "/h", OTHER: "ghp_abc" } })).toEqual(["API_KEY", "OTHER"])
    expect(secretsIn({ headers: { Authorization: "Bearer abc" } })).toEqual(["Authorization"])
    expect(secretsIn({ url: "https://a.test/?token=abc" })).toEqual(["the URL"])
    expect(secretsIn({ url: "https://me:pass@a.test/" })).toEqual(["the URL"])
    expect(secretsIn({ args: ["--key", "sk-abc"] })).toEqual(["an argument"])
  })

  it("are none where a variable stands in their place", () => {
    const variable = "${GITHUB_TOKEN}"
    expect(secretsIn({ env: { GITHUB_TOKEN: variable }, headers: { Authorization: `Bearer ${variable}` } })).toEqual([])
    expect(secretsIn({ url: "https://a.test/?page=1", args: ["-y"], env: { MONKEY: "x", EMPTY_TOKEN: "" } })).toEqual(
      [],
    )
  })
})
