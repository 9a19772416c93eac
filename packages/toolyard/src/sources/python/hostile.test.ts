/** Files and messages that mean no good, or were never tried. */
import { readdirSync } from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../../model/json.ts"
import { hasPython, openHost, type TestHost, textOf } from "./host.fixture.ts"

describe.skipIf(!hasPython)(
  "a Python file nobody tried (needs python3 3.9 or later on the PATH)",
  { timeout: 30_000 },
  () => {
    const opened: TestHost[] = []
    afterEach(async () => {
      for (const host of opened.splice(0)) await host.close()
    })
    const open = (...files: Parameters<typeof openHost>): TestHost => {
      const host = openHost(...files)
      opened.push(host)
      return host
    }

    const BROKEN: [string, Record<string, string | Buffer>, RegExp][] = [
      ["a syntax error", { "bad.py": "x = 1\n\ndef (:\n  pass\n" }, /^bad\.py:3:5: SyntaxError: .+$/],
      ["wrong indentation", { "bad.py": "def f():\nreturn 1\n" }, /^bad\.py:2:\d+: IndentationError: .+$/],
      [
        "an import of nothing",
        { "bad.py": "import os\n  \nimport nowhere\n" },
        /^bad\.py:3:1: ModuleNotFoundError: No module named 'nowhere'$/,
      ],
      [
        "a failing import",
        { "bad.py": "import part\n", "part.py": "if True:\n    1 / 0\n" },
        /^part\.py:2:5: ZeroDivisionError: division by zero$/,
      ],
      [
        "a syntax error in an import",
        { "bad.py": "import part\n", "part.py": "x = (\n" },
        /^part\.py:1:\d+: SyntaxError: .+$/,
      ],
      [
        "an exception with several lines",
        { "bad.py": "raise ValueError('a\\nb')\n" },
        /^bad\.py:1:1: ValueError: a b$/,
      ],
      ["an exit", { "bad.py": "import sys\nsys.exit(0)\n" }, /^bad\.py:2:1: SystemExit: 0 \(.+\)$/],
      ["a null byte", { "bad.py": Buffer.from("x = 1\0\n") }, /^bad\.py:1:\d+: \w+Error: .*null bytes.*$/],
      ["no UTF-8", { "bad.py": Buffer.from([0x78, 0x3d, 0x27, 0xff, 0x27, 10]) }, /^bad\.py.*SyntaxError: .+$/],
      ["no file", { "other.py": "" }, /^bad\.py: No such file or directory$/],
    ]
    it.each(BROKEN)("says in one last line why it can't be loaded: %s", async (_, files, line) => {
      const host = open(files, "bad.py")
      expect(await host.exit()).toBe(1)
      expect(host.stderr().trimEnd().split("\n").at(-1)).toMatch(line)
    })

    it("keeps what is printed, read and started away from the wire", async () => {
      const host = open({
        "loud.py": [
          "import os, subprocess, sys",
          "print('at import')",
          "def shout():",
          "    print('printed \\ud800')",
          "    sys.stdout.write('written\\n')",
          "    os.write(1, b'raw\\n')",
          "    subprocess.run([sys.executable, '-c', 'print(\"child\")'])",
          "    return [sys.stdin.read(), os.read(0, 10).decode(), subprocess.run([sys.executable, '-c', 'import sys; print(repr(sys.stdin.read()))'], stdout=subprocess.PIPE).stdout.decode().strip()]",
        ].join("\n"),
      })
      expect(textOf(await host.call("shout"))).toBe('["","","\'\'"]')
      for (const line of ["at import", "printed \\ud800", "written", "raw", "child"])
        expect(host.stderr()).toContain(line)
    })

    it("V12 answers with 20 MB", async () => {
      const host = open({ "big.py": "def big(): return 'x' * 20_000_000\ndef many(): return list(range(1_000_000))\n" })
      expect(textOf(await host.call("big"))).toHaveLength(20_000_000)
      expect(JSON.parse(textOf(await host.call("many")))).toHaveLength(1_000_000)
    })

    it("V12 runs 100 calls at once, plain and async", async () => {
      const host = open({
        "busy.py": [
          "import asyncio, threading, time",
          "gate = threading.Barrier(50)",
          "def meet(n: int) -> int:",
          "    gate.wait(20)",
          "    return n",
          "async def rest(n: int) -> int:",
          "    await asyncio.sleep(0.001)",
          "    return n",
        ].join("\n"),
      })
      const numbers = Array.from({ length: 50 }, (_, n) => n)
      const calls = numbers.flatMap(n => [host.call("meet", { n }), host.call("rest", { n })])
      expect((await Promise.all(calls)).map(result => (result.structuredContent as JsonObject).result)).toEqual(
        numbers.flatMap(n => [n, n]),
      )
    })

    it("does more calls than it has threads", async () => {
      const host = open({ "slow.py": "import time\ndef slow(n: int) -> int:\n    time.sleep(0.005)\n    return n\n" })
      const results = await Promise.all(Array.from({ length: 300 }, (_, n) => host.call("slow", { n })))
      expect(results.map(textOf)).toEqual(results.map((_, n) => String(n)))
    })

    it("V12 passes all of Unicode both ways, halves of characters too", async () => {
      const host = open({ "echo.py": "def echo(text: str): return text\ndef half(): return {'\\ud800': '\\udfff'}\n" })
      for (const text of ["é", "😀", "\u2028\u0000\u001f", "\ud83d", "a\udc00b", "\uffff"])
        expect(textOf(await host.call("echo", { text }))).toBe(text)
      expect((await host.call("half")).structuredContent).toEqual({ "\ud800": "\udfff" })
    })

    it("V12 says that what it got is nested too deeply, and goes on", async () => {
      const host = open({ "echo.py": "def echo(x): return 'ok'\n" })
      const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
      host.raw(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"echo","arguments":{"x":${deep}}}}`)
      expect((await host.answer(77)).error).toMatchObject({ code: -32700 })
      expect(textOf(await host.call("echo", { x: [[[]]] }))).toBe("ok")
    })

    it("V3 refuses what is no request, by the book", async () => {
      const host = open({ "echo.py": "def echo(): return 'ok'\n" })
      const WRONG: [string | Buffer, number][] = [
        ["{nonsense", -32700],
        [Buffer.from([0x22, 0xff, 0x22]), -32700],
        ["[]", -32600],
        ["3", -32600],
        ['{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600],
        ['{"jsonrpc":"2.0","id":5}', -32600],
      ]
      for (const [line, code] of WRONG) {
        host.raw(line)
        expect((await host.answer(null)).error?.code).toBe(code)
      }
      expect(host.stderr()).toContain("a line that is no JSON was left out")
      host.raw("")
      host.send({ jsonrpc: "2.0", method: "notifications/whatever" })
      host.send({ jsonrpc: "2.0", id: 99, result: {} })
      expect((await host.request("no/such")).error?.code).toBe(-32601)
      expect((await host.request("server/discover")).error?.code).toBe(-32601)
      expect((await host.request("tools/call", { name: "none" })).error?.code).toBe(-32602)
      expect((await host.request("tools/call", { name: "__class__" })).error?.code).toBe(-32602)
      expect((await host.request("tools/call", { name: "echo", arguments: [] })).error?.code).toBe(-32602)
      expect((await host.request("initialize", { protocolVersion: "1999-01-01" })).result).toMatchObject({
        protocolVersion: "2025-11-25",
      })
      expect((await host.request("tools/call", { name: "echo" })).result).toEqual({
        content: [{ type: "text", text: "ok" }],
      })
    })

    it("V6 turns whatever is raised into an error result", async () => {
      const host = open({
        "raising.py": [
          "class Mute(Exception):",
          "    def __str__(self): raise RuntimeError('no')",
          "class Odd(BaseException): pass",
          "def mute(): raise Mute()",
          "def odd(): raise Odd('odd')",
          "def long(): raise ValueError('x' * 1_000_000)",
          "def down(n=0): return down(n + 1)",
          "def half(): raise ValueError('\\ud800')",
          "def circle():",
          "    error = ValueError('a'); error.__cause__ = error",
          "    raise error",
          "def lies():",
          "    class Lies(dict):",
          "        def items(self): raise ValueError('gone')",
          "    return Lies(a=1)",
        ].join("\n"),
      })
      const told = async (name: string): Promise<string> => {
        const result = await host.call(name)
        expect(result.isError).toBe(true)
        return textOf(result)
      }
      expect(await told("mute")).toMatch(/^Mute: \(its message can't be had: __str__ raised RuntimeError\)\n/)
      expect(await told("odd")).toMatch(/^Odd: odd\n/)
      expect((await told("long")).length).toBeLessThan(20_001)
      expect(await told("down")).toMatch(/^RecursionError: /)
      expect(await told("half")).toMatch(/^ValueError: \ud800\n/)
      expect(await told("circle")).toMatch(/^ValueError: a\n/)
      expect(await told("lies")).toMatch(/^ValueError: gone\n/)
    })

    it("serves functions and parameters that are named like Python's own", async () => {
      const host = open({
        "names.py": [
          "def print(list: list, type: str = 'x', **self): return [list, type, self]",
          "def len(): return 'mine'",
          "def keys(kwargs, args): return [kwargs, args]",
          "def __dunder__(): ...",
          "def größe(): return 1",
        ].join("\n"),
      })
      expect([...(await host.tools()).keys()]).toEqual(["print", "len", "keys", "größe"])
      expect(textOf(await host.call("print", { list: [1], cls: 2, name: 3 }))).toBe('[[1],"x",{"cls":2,"name":3}]')
      expect(textOf(await host.call("len"))).toBe("mine")
      expect(textOf(await host.call("keys", { kwargs: 1, args: 2 }))).toBe("[1,2]")
    })

    it("is not disturbed by files named like modules of Python's or the host's", async () => {
      const host = open({
        "calendar.py":
          "import email.message, result\ndef today(): return [email.message.Message.__name__, result.mine]\n",
        "email.py": "raise RuntimeError('not this one')\n",
        "result.py": "mine = 'mine'\n",
        "json.py": "raise RuntimeError('nor this one')\n",
      })
      expect(textOf(await host.call("today"))).toBe('["Message","mine"]')
    })

    it("loads a file of a package, and leaves nothing compiled beside it", async () => {
      const host = open(
        {
          "app/tools.py": "from .part import n\ndef get(): return n\n",
          "app/__init__.py": "",
          "app/part.py": "n = 5\n",
        },
        "app/tools.py",
      )
      expect(textOf(await host.call("get"))).toBe("5")
      expect(readdirSync(`${host.folder}/app`).sort()).toEqual(["__init__.py", "part.py", "tools.py"])
    })

    it("dies when a function ends the process, which is for the hub to see", async () => {
      const host = open({ "gone.py": "import os\ndef gone(): os._exit(7)\n" })
      host.start("gone")
      expect(await host.exit()).toBe(7)
    })
  },
)
