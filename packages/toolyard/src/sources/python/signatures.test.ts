/** What each way of writing a parameter, a return type or a docstring becomes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPython, openHost, type TestHost, type Tool } from "./host.fixture.ts"
import { DEFINITIONS, MODELS, PARAMETERS, RETURNS } from "./signatures.fixture.ts"

describe.skipIf(!hasPython)("signatures of a Python file (needs python3 3.9 or later on the PATH)", () => {
  let host: TestHost
  let tools: Map<string, Tool>

  beforeAll(async () => {
    const parameters = PARAMETERS.map(([written], index) => `def parameter_${index}(${written}): ...`)
    const returns = RETURNS.map(([written], index) => `def returns_${index}() -> ${written}: ...`)
    host = openHost({
      "types_test.py": [DEFINITIONS, ...parameters, ...returns].join("\n"),
      "models.py": MODELS,
      "shapes/__init__.py": "from .round import Circle\n",
      "shapes/round.py": "from dataclasses import dataclass\n@dataclass\nclass Circle:\n    radius: float\n",
    })
    tools = await host.tools()
  })
  afterAll(() => host.close())

  const described = PARAMETERS.map(([written, expected], index) => ({ written, expected, index }))
  it.each(described)("V10 takes ($written)", ({ expected, index }) => {
    const {
      $defs,
      properties,
      required = [],
      additionalProperties,
    } = (tools.get(`parameter_${index}`) as Tool).inputSchema
    const whole = { properties, required, additionalProperties, ...($defs !== undefined && { $defs }) }
    expect(whole).toEqual({ required: [], additionalProperties: false, ...expected })
  })

  const given = RETURNS.map(([written, expected], index) => ({ written, expected, index }))
  it.each(given)("V10 gives $written", ({ expected, index }) => {
    expect(tools.get(`returns_${index}`)?.outputSchema).toEqual(expected)
  })

  it("follows imports of the project by reading them, and says which files these are", async () => {
    const { result } = await host.request("initialize", { protocolVersion: "2025-11-25" })
    const files = ["models.py", "shapes/__init__.py", "shapes/round.py", "types_test.py"]
    expect(result?.capabilities).toMatchObject({
      experimental: { "toolyard/files": { files: files.map(file => `${host.folder}/${file}`) } },
    })
  })
})
