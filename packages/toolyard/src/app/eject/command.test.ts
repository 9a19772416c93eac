import { afterEach, expect, it, vi } from "vitest"
import { openYard, type Yard } from "./eject.fixture.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
afterEach(() => yard?.close())

const SHOW = `import { mark } from "../lib/mark.mjs"
let input = ""
for await (const chunk of process.stdin) input += chunk
process.stdout.write(JSON.stringify({ argv: process.argv.slice(2), input, env: process.env.MODE, mark }))
if (process.argv.includes("fail")) { process.stderr.write("it broke"); process.exit(3) }`

it("B15 runs the same command line, with the scripts of the project beside it", async () => {
  yard = openYard({
    show: {
      type: "command",
      command: process.execPath,
      args: ["bin/show.mjs", "--token=${TOKEN}", "--since", "{{since?}}", "{{text}}", "--", "{{more...}}"],
      stdin: "in: {{text}}",
      env: { MODE: "${MODE}" },
      parameters: { text: { type: "string", description: "What to show." } },
    },
  })
  yard.write("bin/show.mjs", SHOW)
  yard.write("lib/mark.mjs", "export const mark = 7")
  const ejected = await yard.eject("show", { env: { TOKEN: "very-secret-value", MODE: "secret-mode" } })
  expect(ejected.everything()).not.toMatch(/very-secret-value|secret-mode/)
  expect(ejected.files).toContain("program/lib/mark.mjs")
  expect(ejected.variables.map(({ name }) => name)).toEqual(["TOKEN", "MODE"])
  expect(ejected.check()).toBe("")
  const { status, fail, output } = ejected.test()
  expect({ status, fail }, output).toEqual({ status: 0, fail: 0 })

  await using server = ejected.start({ TOKEN: "t1", MODE: "m1" })
  expect((await server.request("tools/list")).tools).toEqual(ejected.tools)
  const result = await server.call("show", { text: "a; b", more: ["-x", "y"] })
  expect(result.structuredContent).toEqual({
    argv: ["--token=t1", "a; b", "--", "-x", "y"],
    input: "in: a; b",
    env: "m1",
    mark: 7,
  })
  const since = await server.call("show", { text: "a", since: "now" })
  expect(since.structuredContent).toMatchObject({ argv: ["--token=t1", "--since", "now", "a", "--"] })
  expect(await server.call("show", { text: "--help" })).toMatchObject({ isError: true })
  expect(await server.call("show", { text: "fail" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/exit code 3:\nit broke/) }],
  })
})

it("says which variable is not set when it is needed, not before", async () => {
  yard = openYard({ show: { type: "command", command: "echo", args: ["${TOKEN}"] } })
  const ejected = await yard.eject("show")
  await using server = ejected.start()
  expect(await server.call("show")).toMatchObject({ isError: true, content: [{ text: /TOKEN is not set/ }] })
})
