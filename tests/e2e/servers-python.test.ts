/** Python files as servers: through a real hub, from the file to the client. */
import { spawnSync } from "node:child_process"
import { afterEach, describe, expect, it } from "vitest"
import { stopAll, until } from "../fixtures/hub.ts"
import { isAlive } from "../fixtures/processes.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import { openOwnYard } from "./own-yard.ts"

afterEach(async () => {
  await closeClients()
  await stopAll()
})

const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0

const STATS = `"""Numbers."""
from dataclasses import dataclass
from typing import Literal, Optional
import time, asyncio
from shapes import area

@dataclass
class Point:
    x: float
    y: float = 0.0

def mean(values: list[float]) -> float:
    """The arithmetic mean.

    Args:
        values: The numbers.
    """
    return sum(values) / len(values)

def shift(point: Point, by: Optional[float] = None, way: Literal["up", "right"] = "up") -> dict:
    """Moves a point."""
    by = by or 1.0
    return {"x": point.x + (by if way == "right" else 0), "y": point.y + (by if way == "up" else 0)}

def square(side: float) -> float:
    return area(side)

async def later(text: str) -> str:
    await asyncio.sleep(0.01)
    return text

def raw() -> bytes:
    return b"\\x89PNG\\r\\n\\x1a\\n\\x00\\x00"

def loop() -> None:
    while True:
        pass

def printing() -> str:
    print("not for the wire")
    return "ok"

def ask_name(ctx) -> str:
    return "Hello, " + ctx.ask("Who?", {"type": "object", "properties": {"name": {"type": "string"}}})["name"]

def through(text: str, ctx) -> object:
    return ctx.call("other__echo", {"text": text})

def _private() -> str:
    return "hidden"
`
const FILES = {
  "servers/stats.py": STATS,
  "servers/shapes.py": "def area(side: float) -> float:\n    return side * side\n",
  "servers/other.js": "/** Echoes. @param {string} text */\nexport function echo(text) { return { said: text } }\n",
}

describe.skipIf(!hasPython)("a Python file", { timeout: 60_000 }, () => {
  it("V10 is a server without any entry; its functions are tools, with schemas from hints and docstrings", async () => {
    const { hub, tools } = await openOwnYard(FILES)
    await hub.waitUp("stats")
    const list = await tools("stats")
    expect(list.map(({ name }) => name)).toEqual(
      "mean shift square later raw loop printing ask_name through".split(" "),
    )
    expect(list[0]).toMatchObject({
      description: "The arithmetic mean.",
      inputSchema: {
        properties: { values: { type: "array", items: { type: "number" }, description: "The numbers." } },
        required: ["values"],
      },
    })
    expect(list[1]).toMatchObject({
      inputSchema: { properties: { way: { enum: ["up", "right"], default: "up" } }, required: ["point"] },
    })
  })

  it.each(ERAS)("V6 answers calls: numbers, dataclasses, bytes, async functions, errors (%s)", async era => {
    const { hub, call } = await openOwnYard(FILES)
    await hub.waitUp("stats", "other")
    expect(await call("stats", "mean", { values: [1, 2, 6] }, era)).toMatchObject({
      content: [{ type: "text", text: "3.0" }],
      structuredContent: { result: 3 },
    })
    const shifted = await call("stats", "shift", { point: { x: 1 }, way: "right" }, era)
    expect(shifted.structuredContent).toEqual({ x: 2, y: 0 })
    expect(textOf(await call("stats", "square", { side: 3 }, era))).toBe("9")
    expect(textOf(await call("stats", "later", { text: "é😀" }, era))).toBe("é😀")
    expect((await call("stats", "raw", {}, era)).content).toMatchObject([{ type: "image", mimeType: "image/png" }])
    expect(textOf(await call("stats", "printing", {}, era))).toBe("ok")
    const failed = await call("stats", "mean", { values: [] }, era)
    expect(failed.isError).toBe(true)
    expect(textOf(failed)).toMatch(/ZeroDivisionError: division by zero[\s\S]*stats\.py:\d+/)
    expect((await call("stats", "through", { text: "hi" }, era)).structuredContent).toEqual({ said: "hi" })
    const client = await connect(`${hub.url}/mcp/stats`, era, { elicit: () => ({ name: "you" }) })
    expect(textOf(await client.callTool({ name: "ask_name", arguments: {} }))).toBe("Hello, you")
  })

  it("ends an endless loop when its time is over, and goes on", async () => {
    const { hub, call } = await openOwnYard(FILES, { mcpServers: { stats: { tools: { loop: { timeoutMs: 300 } } } } })
    await hub.waitUp("stats")
    expect(await call("stats", "loop")).toMatchObject({ _meta: { "toolyard/error": { code: "timeout" } } })
    await until(async () => textOf(await call("stats", "square", { side: 2 })) === "4", "the server to go on")
  })

  it("is reloaded when it or what it imports is edited; a broken edit keeps the last good version", async () => {
    const { hub, call, write } = await openOwnYard(FILES)
    await hub.waitUp("stats")
    write("servers/shapes.py", "def area(side: float) -> float:\n    return side + 100\n")
    await until(async () => textOf(await call("stats", "square", { side: 2 })) === "102", "the import's new code")
    write("servers/stats.py", `${STATS}\ndef broken(:\n`)
    await until(async () => (await hub.server("stats")).reason !== undefined, "the error to be shown")
    expect(await hub.server("stats")).toMatchObject({ state: "up", reason: expect.stringMatching(/stats\.py:\d+/) })
    expect(textOf(await call("stats", "square", { side: 2 }))).toBe("102")
  })

  it("leaves no process behind", async () => {
    const { hub } = await openOwnYard(FILES)
    await hub.waitUp("stats")
    const { pid } = await hub.server("stats")
    await hub.stop()
    expect(isAlive(pid as number)).toBe(false)
  })
})
