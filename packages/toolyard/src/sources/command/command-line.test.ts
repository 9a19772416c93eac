import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CommandEntry } from "../../model/config.ts"
import type { JsonObject } from "../../model/json.ts"
import { fillCommandLine, parseCommandLine } from "./command-line.ts"

const entry = (args: string[], more: Partial<CommandEntry> = {}): CommandEntry => ({
  type: "command",
  command: "prog",
  args,
  env: {},
  cwd: ".",
  parameters: {},
  ...more,
})
const schemaOf = (args: string[], more?: Partial<CommandEntry>): JsonObject =>
  parseCommandLine(entry(args, more)).inputSchema
const fill = (args: string[], given: JsonObject, more?: Partial<CommandEntry>): string[] =>
  fillCommandLine(parseCommandLine(entry(args, more)), given).args

describe("the parameters of a command line", () => {
  it("V10 are its placeholders, each with its type, default and whether it must be given", () => {
    expect(
      schemaOf(["-h", "{{path}}", "-n{{count:integer=3}}", "{{ since? }}", "{{files...}}", "{{ok:boolean}}"]),
    ).toEqual({
      type: "object",
      properties: {
        path: { type: "string" },
        count: { type: "integer", default: 3 },
        since: { type: "string" },
        files: { type: "array", items: { type: "string" } },
        ok: { type: "boolean" },
      },
      required: ["path", "ok"],
      additionalProperties: false,
    })
  })

  it("are none where there is no placeholder", () => {
    expect(schemaOf(["-h", "\\{{.Names}}"])).toEqual({ type: "object", properties: {}, additionalProperties: false })
    expect(fill(["\\{{.Names}}"], {})).toEqual(["{{.Names}}"])
  })

  it("are one where the same name stands twice, and are found in stdin too", () => {
    expect(schemaOf(["{{a}}", "{{a?}}"], { stdin: "{{a}} {{b:number}}" })).toMatchObject({
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    })
  })

  it("take what the entry says of them", () => {
    const parameters = { unit: { description: "Which", enum: ["k", "m"], default: "k" }, n: { type: "integer" } }
    expect(schemaOf(["{{unit}}", "{{n}}"], { parameters })).toMatchObject({
      properties: { unit: { type: "string", ...parameters.unit }, n: { type: "integer" } },
      required: ["n"],
    })
    expect(fill(["{{unit}}", "{{n}}"], { n: -4 }, { parameters })).toEqual(["k", "-4"])
  })

  it.each([
    ["{{}}", "a name"],
    ["{{a b}}", "a name"],
    ["{{a", "never closed"],
    ["{{a:date}}", "date is not one of"],
    ["{{{a}}}", "a name"],
    ["x{{a...}}", "whole argument"],
    ["{{a:integer=x}}", "not of type integer"],
    ["{{a={{b}}", "a name"],
  ])("can't be understood in %s, and the message says why", (text, why) => {
    expect(() => parseCommandLine(entry([text]))).toThrow(why)
  })

  it("can't stand in the program's name, contradict each other, or have a broken pattern", () => {
    expect(() => parseCommandLine(entry([], { command: "{{x}}" }))).toThrow("which program runs is fixed")
    expect(() => parseCommandLine(entry(["{{a:integer}}", "{{a:number}}"]))).toThrow("two types")
    expect(() => parseCommandLine(entry(["{{a=1}}", "{{a=2}}"]))).toThrow("two defaults")
    expect(() => parseCommandLine(entry(["{{a...}}", "{{a}}"]))).toThrow("two forms")
    expect(() => parseCommandLine(entry(["{{a}}"], { parameters: { a: { pattern: "(" } } }))).toThrow("pattern")
    expect(() => parseCommandLine(entry([], { stdin: "{{a...}}" }))).toThrow("whole argument")
  })
})

describe("the arguments made of a command line", () => {
  it("hold the values as they are: no shell ever looks at them", () => {
    const text = "a b; rm -rf $HOME `id` \"'\\ * \n ünï"
    expect(fill(["{{x}}", "pre-{{x}}-post"], { x: text })).toEqual([text, `pre-${text}-post`])
    expect(fill(["{{n:number}}", "{{b:boolean}}"], { n: 1.5, b: false })).toEqual(["1.5", "false"])
  })

  it("leave out what is absent, and the option that goes with it", () => {
    const line = ["log", "--since", "{{since?}}", "--max={{max:integer?}}", "-n", "{{n:integer?}}", "{{rest...}}"]
    expect(fill(line, {})).toEqual(["log"])
    expect(fill(line, { since: "monday", max: 3, n: 2, rest: ["a", "b"] })).toEqual([
      ...["log", "--since", "monday", "--max=3", "-n", "2", "a", "b"],
    ])
    expect(fill(["-l", "--", "{{path?}}"], {})).toEqual(["-l", "--"])
    expect(fill(["-", "{{path?}}"], { path: null })).toEqual(["-"])
  })

  it.each([
    [["{{x}}"], { x: "--output=/etc/passwd" }],
    [["{{x}}/y"], { x: "-rf" }],
    [["{{a?}}{{x}}"], { a: "", x: "-x" }],
    [["{{xs...}}"], { xs: ["ok", "-x"] }],
    [["--since", "{{x}}"], { x: "-1d" }],
  ])("are refused where a value could be taken for an option: %j %j", (line, given) => {
    expect(() => fill(line, given)).toThrow(
      expect.objectContaining({ code: "invalid_arguments", hint: expect.stringContaining('"--"') }),
    )
  })

  it("may begin with a dash after --, inside an argument, as numbers, and where the schema says so", () => {
    expect(fill(["--", "{{x}}", "{{xs...}}"], { x: "-x", xs: ["-y"] })).toEqual(["--", "-x", "-y"])
    expect(fill(["--since={{x}}", "{{n:integer}}"], { x: "-1d", n: -1 })).toEqual(["--since=-1d", "-1"])
    expect(fill(["{{x}}"], { x: "-a" }, { parameters: { x: { enum: ["-a", "-b"] } } })).toEqual(["-a"])
    expect(fill(["{{x}}"], { x: "-1d" }, { parameters: { x: { pattern: "^-?\\d+d$" } } })).toEqual(["-1d"])
    expect(() => fill(["{{x}}"], { x: "--exec=1d" }, { parameters: { x: { pattern: "\\d+d$" } } })).toThrow(
      "may not begin",
    )
  })

  it("are refused when a value is missing, of the wrong type, or holds a NUL", () => {
    expect(() => fill(["{{x}}"], {})).toThrow('"x" is missing')
    expect(() => fill(["{{toString}}"], {})).toThrow('"toString" is missing')
    expect(() => fill(["{{n:integer}}"], { n: "-x" })).toThrow("of type integer")
    expect(() => fill(["{{b:boolean}}"], { b: "yes" })).toThrow("true or false")
    expect(() => fill(["{{xs...}}"], { xs: "a" })).toThrow("must be a list")
    expect(() => fill(["{{x}}"], { x: "a\0b" })).toThrow("NUL")
  })

  it("never let a value make or change another argument, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        const [x, y] = [a.replaceAll("\0", ""), b.replaceAll("\0", "")]
        expect(fill(["--", "{{x}}", "k={{y}}", "{{x}}{{y}}"], { x, y })).toEqual(["--", x, `k=${y}`, x + y])
      }),
    )
  })
})
