/** What docstrings in the usual styles tell of a function. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../model/json.ts"
import { hasPython, openHost, type TestHost, type Tool } from "./host.fixture.ts"

const FILE = `"""Numbers.

Some functions on numbers.
"""
__version__ = "1.2.3"
__all__ = ["google", "numpy", "sphinx", "epytext", "plain", "none", "look", "missing", "_hidden", "sqrt"]
from math import sqrt

def google(a: int, b: str = "x", *rest: int, **more: str) -> int:
    """Adds things.

    Does it
    well.

    Args:
        a (int): The first,
            which goes on.
        b (str, optional): The second: with a colon.
        *rest: All others.
        **more: Options.

    Returns:
        int: The sum.

    Raises:
        ValueError: If not.

    Example:
        google(1)
    """

def numpy(x: float, y: float, z=None):
    """Multiplies things.

    Parameters
    ----------
    x, y : float
        The factors.
    z : int, optional
        Another.

    Returns
    -------
    float
        The product.

    Notes
    -----
    Slow.
    """

def sphinx(a: int, b):
    """Subtracts things.

    :param a: The first
        on two lines.
    :param int b: The second.
    :type a: int
    :returns: The difference.
    :rtype: int
    :raises ValueError: Never.
    """

def epytext(a: int) -> dict:
    """Divides things.

    @param a: The number.
    @type a: C{int}
    @return: What is left.
    """

def plain(a: int): "Just this: one line."
def none(a: int): ...

def look():
    """Looks.

    Read-only.
    """

def unlisted(): ...
def _hidden(): ...
class Thing:
    def method(self): ...
`

describe.skipIf(!hasPython)("docstrings of a Python file (needs python3 3.9 or later on the PATH)", () => {
  let host: TestHost
  let tools: Map<string, Tool>
  const properties = (name: string): JsonObject => (tools.get(name) as Tool).inputSchema.properties as JsonObject

  beforeAll(async () => {
    host = openHost({ "numbers_test.py": FILE })
    tools = await host.tools()
  })
  afterAll(() => host.close())

  it("V10 offers the functions that are written in the file, public and named in __all__", () => {
    expect([...tools.keys()]).toEqual(["google", "numpy", "sphinx", "epytext", "plain", "none", "look"])
  })

  it("gives the file's own docstring and version as those of the server", async () => {
    const { result } = await host.request("initialize", {})
    expect(result).toMatchObject({
      instructions: "Numbers.\n\nSome functions on numbers.",
      serverInfo: { name: "numbers_test", version: "1.2.3" },
    })
  })

  it("reads Google's style", () => {
    expect(tools.get("google")).toMatchObject({
      description: "Adds things.\n\nDoes it\nwell.\n\nExample:\n    google(1)",
      outputSchema: { properties: { result: { type: "integer", description: "The sum." } } },
    })
    expect(properties("google")).toMatchObject({
      a: { description: "The first, which goes on." },
      b: { description: "The second: with a colon." },
      rest: { description: "All others." },
    })
  })

  it("reads NumPy's style, and its types where there are no hints", () => {
    expect(tools.get("numpy")?.description).toBe("Multiplies things.\n\nNotes\n-----\nSlow.\n\nReturns: The product.")
    expect(properties("numpy")).toEqual({
      x: { type: "number", description: "The factors." },
      y: { type: "number", description: "The factors." },
      z: { type: "integer", description: "Another.", default: null },
    })
  })

  it("reads Sphinx's style", () => {
    expect(tools.get("sphinx")?.description).toBe("Subtracts things.\n\nReturns: The difference.")
    expect(properties("sphinx")).toEqual({
      a: { type: "integer", description: "The first on two lines." },
      b: { type: "integer", description: "The second." },
    })
  })

  it("reads Epytext", () => {
    expect(tools.get("epytext")).toMatchObject({
      description: "Divides things.",
      inputSchema: { properties: { a: { description: "The number." } } },
      outputSchema: { type: "object", description: "What is left." },
    })
  })

  it("takes plain text as it is, and none where there is none", () => {
    expect(tools.get("plain")?.description).toBe("Just this: one line.")
    expect(tools.get("none")).not.toHaveProperty("description")
  })

  it("marks a function as changing nothing where its docstring has a line that says so", () => {
    expect(tools.get("look")?.annotations).toEqual({ readOnlyHint: true })
    expect(tools.get("plain")).not.toHaveProperty("annotations")
  })
})
