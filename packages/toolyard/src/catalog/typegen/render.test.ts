import { describe, expect, it } from "vitest"
import type { ToolDefinition } from "../../model/mcp.ts"
import { toCamel } from "../naming.ts"
import { compile } from "./compile.fixture.ts"
import { declareServer } from "./declare.ts"
import { renderServer, renderTool, renderTools } from "./render.ts"
import type { ServerShape, ToolShape } from "./shape.ts"

const text = { type: "string" }

function serverOf(server: string, tools: (ToolDefinition & Partial<ToolShape>)[], description?: string): ServerShape {
  return {
    server,
    tsName: toCamel(server),
    description,
    tools: tools.map(({ resultSchema, learnedFrom, ...definition }) => ({
      id: `${server}__${definition.name}`,
      name: definition.name,
      tsName: toCamel(definition.name),
      definition,
      resultSchema,
      learnedFrom,
    })),
  }
}

const GITHUB = serverOf(
  "github",
  [
    {
      name: "create_issue",
      description: "Open an issue.",
      inputSchema: {
        type: "object",
        properties: {
          owner: { ...text, description: "Account that owns the repository" },
          title: text,
          labels: { type: "array", items: { ...text, description: "A label" }, default: [] },
          milestone: { type: "integer", description: "  ", deprecated: true },
          assignee: { type: "object", properties: { login: { ...text, description: "Name\n\n of the user" } } },
        },
        required: ["owner", "title"],
      },
      outputSchema: { type: "object", description: "The issue", properties: { number: { type: "number" }, raw: {} } },
    },
    {
      name: "list_issues",
      inputSchema: { properties: { owner: { ...text, description: "Account that owns the repository" } } },
      resultSchema: { type: "array", items: { type: "object", properties: { id: {} } } },
      learnedFrom: 2,
    },
    { name: "ping" },
  ],
  "Issues and more",
)

describe("full declarations", () => {
  it("T5 T6 are types of parameters and results with their descriptions, and a part of Tools", () => {
    expect(renderServer(GITHUB)).toBe(`// A description stands where its property comes first, and is not repeated.
export interface GithubCreateIssueParams {
  /** Account that owns the repository */
  owner: string
  title: string
  /** A label @default [] */
  labels?: string[]
  /** @deprecated */
  milestone?: number
  assignee?: {
    /**
     * Name
     * of the user
     */
    login?: string
  }
}
/** The issue */
export type GithubCreateIssueResult = { number?: number; raw?: any }
export interface GithubListIssuesParams { owner?: string }
/** learned from 2 calls */
export type GithubListIssuesResult = { id?: any }[]
export interface GithubPingParams {}
export interface Tools {
  /** Issues and more */
  github: {
    /** Open an issue. */
    createIssue(params: GithubCreateIssueParams): Promise<GithubCreateIssueResult>
    listIssues(params?: GithubListIssuesParams): Promise<GithubListIssuesResult>
    ping(params?: GithubPingParams): Promise<any>
  }
}
`)
  })

  it("give one tool by any of its names, with all its descriptions", () => {
    const alone = renderTool(GITHUB, "list_issues")
    expect(alone).toContain("/** Account that owns the repository */\n  owner?: string")
    expect(alone).not.toContain("ping")
    expect(renderTool(GITHUB, "listIssues")).toBe(alone)
    expect(renderTool(GITHUB, "github__list_issues")).toBe(alone)
    expect(renderTool(GITHUB, "nothing")).toBeUndefined()
  })

  it("leave comments out for a compiler", () => {
    expect(renderServer(GITHUB, { docs: false })).not.toContain("/*")
  })

  it("take what an agent would write, and refuse what it must not", async () => {
    const good = [
      `const { number } = await tools.github.createIssue({ owner: "a", title: "b", labels: ["c"] })`,
      `const [first] = await tools.github.listIssues()`,
      `first?.id.deeply.nested`,
      `await tools.github.ping({})`,
      `await tools.memory.save({ data: await tools.github.createIssue({ owner: "a", title: "b" }) })`,
    ]
    const bad = [
      `await tools.github.createIssue({ owner: "a" })`,
      `await tools.github.createIssue({ owner: "a", title: "b", label: ["c"] })`,
      `await tools.github.createIssue()`,
      `;(await tools.github.createIssue({ owner: "a", title: "b" })).nummer`,
    ]
    const memory = serverOf("memory", [
      { name: "save", inputSchema: { properties: { data: { type: "object" } }, required: ["data"] } },
    ])
    const script = (lines: string[]) => [`import { tools } from "./tools.ts"`, ...lines, "export {}"].join("\n")
    const problems = await compile({
      "tools.ts": renderTools([GITHUB, memory]),
      "good.ts": script(good),
      "bad.ts": script(bad),
    })
    expect(problems["tools.ts"]).toEqual([])
    expect(problems["good.ts"]).toEqual([])
    expect(problems["bad.ts"]?.map(problem => Number.parseInt(problem, 10))).toEqual([2, 3, 4, 5])
  })

  it("cannot be broken out of by what a server says", async () => {
    const hostile = '*/ export const evil = 1; /* @ts-expect-error\n@ts-ignore \u2028 */ `${x}` "'
    const server = serverOf(
      "h",
      [
        {
          name: "t",
          description: hostile,
          inputSchema: {
            description: hostile,
            properties: {
              [hostile]: { description: hostile, default: hostile, enum: [hostile] },
              a: { description: "@ts-expect-error" },
            },
          },
        },
      ],
      hostile,
    )
    const declarations = renderTools([server])
    const { "tools.ts": problems } = await compile({ "tools.ts": declarations })
    expect(problems).toEqual([])
    expect(declarations).not.toMatch(/^\s*(\/\*\*|\*).*@ts-|^\s*export const evil|\u2028/m)
  })

  it("give no two types the same name, within a server and between servers", async () => {
    const defs = {
      inputSchema: {
        properties: { a: { $ref: "#/$defs/result" } },
        $defs: { result: { type: "array", items: { $ref: "#/$defs/result" } } },
      },
      outputSchema: { type: "object", properties: { a: text } },
    }
    const servers = [
      serverOf("a", [
        { name: "bC", ...defs },
        { name: "b_c", ...defs },
      ]),
      serverOf("aB", [{ name: "c", ...defs }]),
    ]
    const declarations = renderTools(servers)
    const names = [...declarations.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name as string)
    const types = names.filter(name => name !== "Tools")
    expect(types).toEqual([
      "ABCParams",
      "ABCResult3",
      "ABCResult",
      "ABCParams2",
      "ABCResult4",
      "ABCResult2",
      "ABCParams3",
      "ABCResult6",
      "ABCResult5",
    ])
    expect((await compile({ "tools.ts": declarations }))["tools.ts"]).toEqual([])
  })

  it("use what is kept of a server, unless its names are taken", () => {
    const kept = new Map([["github", declareServer(GITHUB)]])
    const asked: string[] = []
    const declare = (server: ServerShape) => {
      asked.push(server.server)
      return kept.get("github") as ReturnType<typeof declareServer>
    }
    const other = serverOf("gitHub", [{ name: "ping" }])
    expect(renderTools([GITHUB, other], { declare })).toContain("export interface GitHubPingParams {}")
    expect(asked).toEqual(["github", "gitHub"])
  })

  it("are complete for an empty yard", () => {
    expect(renderTools([])).toBe("export interface Tools {}\nexport declare const tools: Tools\n")
  })
})
