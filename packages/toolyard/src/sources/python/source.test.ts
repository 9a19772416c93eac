/** What functions of a Python file get, and what becomes of what they return. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPython, openHost, type TestHost, textOf } from "./host.fixture.ts"
import { FUNCTIONS } from "./source.fixture.ts"

describe.skipIf(!hasPython)("functions of a Python file (needs python3 3.9 or later on the PATH)", () => {
  let host: TestHost
  beforeAll(() => {
    host = openHost({ "functions.py": FUNCTIONS })
  })
  afterAll(() => host.close())

  const shown = async (name: string, args: Record<string, unknown>): Promise<string> =>
    textOf(await host.call(name, args))

  const VALUES: [string, unknown, string][] = [
    ["as_int", 3, "int 3"],
    ["as_int", 3.0, "int 3"],
    ["as_float", 0.5, "float 0.5"],
    ["as_bytes", "aGk=", "bytes b'hi'"],
    ["as_date", "2024-02-29", "date datetime.date(2024, 2, 29)"],
    ["as_datetime", "2024-02-29T10:00:00Z", "datetime 2024-02-29T10:00:00+00:00"],
    ["as_datetime", "2024-02-29T10:00:00.5", "datetime 2024-02-29T10:00:00.500000"],
    ["as_time", "10:30:00", "time datetime.time(10, 30)"],
    ["as_timedelta", "P1DT2H", "timedelta datetime.timedelta(days=1, seconds=7200)"],
    ["as_uuid", "12345678-1234-5678-1234-567812345678", "UUID UUID('12345678-1234-5678-1234-567812345678')"],
    ["as_path", "a/b", "path a/b"],
    ["as_decimal", "1.10", "Decimal Decimal('1.10')"],
    ["as_decimal", 1.1, "Decimal Decimal('1.1')"],
    ["as_color", "red", "Color.RED"],
    ["as_color", "BLUE", "Color.BLUE"],
    ["as_set", [3, 1, 3], "set [1, 3]"],
    ["as_tuple", [1, "a"], "tuple (1, 'a')"],
    ["as_keys", { "1": "a" }, "dict {1: 'a'}"],
    ["as_optional", null, "NoneType None"],
    ["as_optional", "2024-02-29", "date datetime.date(2024, 2, 29)"],
    ["as_union", 3, "int 3"],
    ["as_union", "3", "str '3'"],
    ["as_union", { x: 1 }, "Point Point(x=1, y=0.0)"],
    ["as_points", [{ x: 1 }, { x: 2, y: 3 }], "list [Point(x=1, y=0.0), Point(x=2, y=3)]"],
    ["as_line", { start: { x: 1 }, color: "red" }, "Line Line(start=Point(x=1, y=0.0), color=<Color.RED: 'red'>)"],
    ["as_pair", { w: 1 }, "Pair Pair(w=1, h=2)"],
    ["as_movie", { title: "x", day: "2024-01-01" }, "dict {'title': 'x', 'day': datetime.date(2024, 1, 1)}"],
    ["as_tree", { value: 1, children: [{ value: 2 }] }, "Tree Tree(value=1, children=[Tree(value=2, children=[])])"],
    ["as_new", 7, "int 7"],
    ["as_missing", { any: "thing" }, "dict {'any': 'thing'}"],
  ]
  it.each(VALUES)("V6 %s takes %j", async (name, value, text) => {
    expect(await shown(name, { x: value })).toBe(text)
  })

  const MISFITS: [string, Record<string, unknown>, string][] = [
    ["as_int", { x: "three" }, 'Invalid argument x: expected int, got "three"'],
    ["as_int", { x: true }, "Invalid argument x: expected int, got true"],
    ["as_int", { x: 1.5 }, "Invalid argument x: expected int, got 1.5"],
    ["as_int", {}, "Invalid argument x: is missing (int)"],
    ["as_int", { x: 1, y: 2 }, "Invalid argument y: is no parameter of as_int, which takes x"],
    ["as_bytes", { x: "%%" }, 'Invalid argument x: expected bytes as base64, got "%%"'],
    ["as_date", { x: "tomorrow" }, 'Invalid argument x: expected date (YYYY-MM-DD), got "tomorrow"'],
    ["as_color", { x: "green" }, "Invalid argument x: expected one of 'red', 'blue', got \"green\""],
    ["as_points", { x: [{ x: 1 }, { x: "a" }] }, 'Invalid argument x[1].x: expected float, got "a"'],
    ["as_points", { x: [{ z: 1 }] }, "Invalid argument x[0].x: is missing (Point)"],
    ["as_line", { x: { start: { x: 1, q: 1 } } }, "Invalid argument x.start.q: is no field of Point"],
    ["as_checked", { x: { n: -1 } }, "Invalid argument x: does not make a Checked: n is negative"],
    ["rest", { a: 1, more: [1, "b"] }, 'Invalid argument more[1]: expected int, got "b"'],
    ["options", { a: 1, extra: "b" }, 'Invalid argument extra: expected int, got "b"'],
  ]
  it.each(MISFITS)("V6 %s refuses %j", async (name, args, text) => {
    expect(await host.call(name, args)).toEqual({ content: [{ type: "text", text }], isError: true })
  })

  const SHAPES: [string, Record<string, unknown>, string][] = [
    ["rest", { a: 1, more: [2, 3] }, "1 5 (2, 3)"],
    ["rest", { a: 1, b: 7 }, "1 7 ()"],
    ["keyword", { a: 1, more: [2], last: 3 }, "1 (2,) 3"],
    ["options", { a: 1, x: 2, y: 3 }, "1 {'x': 2, 'y': 3}"],
    ["positional", { a: 1, c: 9 }, "1 2 9 4"],
    ["positional", { a: 1, b: 5, d: 6 }, "1 5 3 6"],
    ["implied", { x: null }, "None"],
    ["decorated", { text: "a" }, "a!"],
  ]
  it.each(SHAPES)("%s(%j)", async (name, args, text) => {
    expect(await shown(name, args)).toBe(text)
  })

  const text = (written: string): object => ({ content: [{ type: "text", text: written }] })
  const wrapped = (written: string, result: unknown): object => ({
    ...text(written),
    structuredContent: { result },
    _meta: { "toolyard/wrapped": true },
  })
  const RESULTS: [string, object][] = [
    ["gives_nothing", { content: [] }],
    ["gives_text", text("hé 😀")],
    ["gives_number", text("1.5")],
    ["gives_list", text('[1,null,true,"é"]')],
    ["gives_dict", { ...text('{"a":{"b":"é"}}'), structuredContent: { a: { b: "é" } } }],
    ["gives_int", wrapped("3", 3)],
    ["gives_str", wrapped("3", "3")],
    ["gives_none", { content: [], structuredContent: { result: null }, _meta: { "toolyard/wrapped": true } }],
    ["gives_point", { ...text('{"x":1,"y":2}'), structuredContent: { x: 1, y: 2 } }],
    ["gives_pair", { ...text('{"w":1,"h":2}'), structuredContent: { w: 1, h: 2 } }],
    [
      "gives_odd",
      text(
        '["2024-01-02","2024-01-02T03:04:05","03:04:00","P1DT0.5S","red","1.10",' +
          '"12345678-1234-5678-1234-567812345678","a/b","aGk=",[1,2],[3],[0,1],{"1":2,"true":3}]',
      ),
    ],
    ["gives_block", { content: [{ type: "text", text: "a", annotations: { priority: 1 } }] }],
    [
      "gives_blocks",
      {
        content: [
          { type: "text", text: "a" },
          { type: "resource_link", uri: "file:///a", name: "a" },
        ],
      },
    ],
    ["gives_result", { content: [{ type: "text", text: "a" }], isError: true, _meta: { x: 1 } }],
    ["gives_png", { content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }] }],
    ["gives_wav", { content: [{ type: "audio", mimeType: "audio/wav", data: "UklGRgAAAABXQVZF" }] }],
    [
      "gives_bytes",
      {
        content: [
          {
            type: "resource",
            resource: {
              uri: "data:application/octet-stream,",
              mimeType: "application/octet-stream",
              blob: "AAE=",
            },
          },
        ],
      },
    ],
    [
      "gives_mixed",
      {
        content: [
          { type: "text", text: "look" },
          { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
        ],
      },
    ],
    ["gives_words", wrapped("ab", ["a", "b"])],
    ["gives_async_words", wrapped("ab", ["a", "b"])],
    ["gives_later", wrapped("7", 7)],
    ["gives_mapped", text("[2,3]")],
  ]
  it.each(RESULTS)("V6 %s", async (name, expected) => {
    expect(await host.call(name)).toEqual(expected)
  })

  it("keeps integers exact that JavaScript can't hold", async () => {
    expect(await shown("gives_large", {})).toBe("[9007199254740993,123456789012345678901234567890]")
  })

  const UNSENDABLE: [string, RegExp][] = [
    ["gives_nan", /^the result can't be sent as JSON: result\.a\[1\] is nan/],
    ["gives_object", /^the result can't be sent as JSON: result\[0\] is of type Opaque; return a dict/],
    ["gives_itself", /is nested deeper than 400 levels, or contains itself$/],
    ["gives_deep", /is nested deeper than 400 levels, or contains itself$/],
    ["breaks_promise", /result is a list, but the function's return annotation promises an object$/],
  ]
  it.each(UNSENDABLE)("V12 %s is an error that says why", async (name, message) => {
    const result = await host.call(name)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(message)
  })

  it("V6 tells what an exception said, where in the file it came from, and what caused it", async () => {
    const result = await host.call("fails", {})
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(
      /^ValueError: no good\nfunctions\.py:\d+ in _inner: raise ValueError\("no good"\) from error\ncaused by KeyError: 'a' \(functions\.py:\d+ in _inner: \{\}\["a"\]\)$/,
    )
  })

  it("names the user's line where a library raised", async () => {
    expect(await shown("fails_in_library", {})).toMatch(
      /^JSONDecodeError: .*\nfunctions\.py:\d+ in fails_in_library: .*return json\.loads\("\{"\)/,
    )
  })

  it("survives functions that end the program", async () => {
    expect(await shown("exits", {})).toMatch(/^SystemExit: 3\n/)
    expect(await shown("interrupts", {})).toMatch(/^KeyboardInterrupt\n/)
    expect(await shown("exits_async", {})).toMatch(/^SystemExit: 4\n/)
    expect(await shown("as_int", { x: 1 })).toBe("int 1")
  })
})
