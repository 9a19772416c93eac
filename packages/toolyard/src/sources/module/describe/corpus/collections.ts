/** Arrays, tuples, sets, maps, and types that contain themselves. */
import type { CaseGroup } from "./case.ts"

export const COLLECTIONS: CaseGroup = {
  declarations: `
interface Item { id: number; tags?: string[] }
interface Tree { value: string; left?: Tree; right?: Tree }
interface Category { name: string; children: Category[] }
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Nested = number | Nested[]
type List<T> = { value: T; next: List<T> | null }
interface A { b?: B; n: 1 }
interface B { a?: A; n: 2 }
type Expr = { op: "num"; value: number } | { op: "add"; left: Expr; right: Expr } | { op: "neg"; of: Expr }
type Pair<T> = [T, T]
`,
  cases: [
    { type: "string[]", yes: [[], ["a"], ["a", "b"]], no: [[1], "a", {}, [null]] },
    { type: "Array<number>", yes: [[1]], no: [["a"]] },
    { type: "readonly number[]", yes: [[1]], no: [["a"]] },
    { type: "ReadonlyArray<Item>", yes: [[{ id: 1 }]], no: [[{}], [{ id: 1, x: 2 }]] },
    { type: "string[][]", yes: [[["a"], []]], no: [["a"]] },
    { type: "(string | number)[]", yes: [["a", 1]], no: [[true]] },
    { type: "(string | null)[]", yes: [["a", null]], no: [[1]] },
    { type: "string[] | string", yes: ["a", ["a"]], no: [1, [1]] },
    { type: "string[] | number[]", yes: [["a"], [1], []], no: [["a", 1]] },
    { type: '("a" | "b")[]', yes: [["a", "b"]], no: [["c"]] },
    { type: "Item[]", yes: [[], [{ id: 1, tags: ["a"] }]], no: [[{ id: "1" }]] },
    {
      type: "{ items: Item[]; total: number }",
      yes: [{ items: [{ id: 1 }], total: 1 }],
      no: [{ items: [{}], total: 1 }],
    },
    { type: "unknown[]", yes: [[1, "a", null]], no: [{}, "a"] },
    { type: "any[]", yes: [[1, {}]], no: [{}] },
    { type: "never[]", yes: [[]], no: [[1]] },
    { type: "[]", yes: [[]], no: [[1], {}] },
    { type: "[string]", yes: [["a"]], no: [[], ["a", "b"], [1]] },
    { type: "[string, number]", yes: [["a", 1]], no: [["a"], [1, "a"], ["a", 1, 2]] },
    { type: "[string, number?]", yes: [["a"], ["a", 1]], no: [[], ["a", "b"], ["a", 1, 2]] },
    { type: "[string?, number?]", yes: [[], ["a"], ["a", 1]], no: [[1]] },
    { type: "[name: string, age?: number]", yes: [["a"], ["a", 1]], no: [["a", "b"]] },
    { type: "[string, ...number[]]", yes: [["a"], ["a", 1, 2]], no: [[], ["a", "b"]] },
    { type: "[...number[]]", yes: [[], [1]], no: [["a"]] },
    { type: "[string, number?, ...boolean[]]", yes: [["a"], ["a", 1], ["a", 1, true, false]], no: [["a", true], []] },
    { type: "readonly [1, 2]", yes: [[1, 2]], no: [[2, 1], [1]] },
    { type: "[Item, Item[]]", yes: [[{ id: 1 }, []]], no: [[[], { id: 1 }]] },
    { type: "[string, number] | [boolean]", yes: [["a", 1], [true]], no: [["a"], [true, 1]] },
    { type: "Pair<number>", yes: [[1, 2]], no: [[1], ["a", "b"]] },
    {
      type: "Pair<Pair<string>>",
      yes: [
        [
          ["a", "b"],
          ["c", "d"],
        ],
      ],
      no: [["a", "b"]],
    },
    { type: "[...Pair<string>, number]", yes: [["a", "b", 1]], no: [["a", 1]] },
    { type: "[string, number][]", yes: [[["a", 1]], []], no: [[["a"]]] },
    { type: "Set<string>", json: "string[]", yes: [[], ["a", "b"]], no: ["a", [1]] },
    { type: "ReadonlySet<number>", json: "number[]", yes: [[1, 2]], no: [["a"]] },
    { type: "Map<string, number>", json: "Record<string, number>", yes: [{ a: 1 }, {}], no: [{ a: "b" }, "a"] },
    { type: "ReadonlyMap<string, Item>", json: "Record<string, Item>", yes: [{ a: { id: 1 } }], no: [{ a: {} }] },
    { type: 'Map<"a" | "b", number>', json: 'Partial<Record<"a" | "b", number>>', yes: [{ a: 1 }], no: [{ c: 1 }] },
    { type: "Map<number, string>", json: "[number, string][]", yes: [[[1, "a"]], []], no: [[["a", 1]]] },
    { type: "Map<string, Set<number>>", json: "Record<string, number[]>", yes: [{ a: [1] }], no: [{ a: 1 }] },
    { type: "Iterable<string>", json: "string[]", yes: [["a"]], no: [[1]] },
    { type: "Date[]", json: "string[]", yes: [["2020-01-01T00:00:00Z"]], no: [[1]] },
    {
      type: "Tree",
      yes: [{ value: "a" }, { value: "a", left: { value: "b", right: { value: "c" } } }],
      no: [{ value: "a", left: {} }, { left: { value: "a" } }],
    },
    { type: "Tree[]", yes: [[{ value: "a" }]], no: [[{}]] },
    {
      type: "Category",
      yes: [{ name: "a", children: [{ name: "b", children: [] }] }],
      no: [{ name: "a", children: [{ name: "b" }] }],
    },
    {
      type: "List<string>",
      yes: [
        { value: "a", next: null },
        { value: "a", next: { value: "b", next: null } },
      ],
      no: [{ value: "a" }, { value: "a", next: { value: 1, next: null } }],
    },
    { type: "Json", yes: ["a", 1, null, [1, ["a"]], { a: { b: [null] } }], no: [] },
    { type: "Json[]", yes: [[1, [2], { a: 3 }]], no: [{}, "a"] },
    { type: "{ data: Json }", yes: [{ data: { a: [1] } }], no: [{}] },
    { type: "Nested", yes: [1, [1, [2, []]]], no: ["a", [["a"]], {}] },
    { type: "A", yes: [{ n: 1 }, { n: 1, b: { n: 2, a: { n: 1 } } }], no: [{ n: 1, b: { n: 1 } }] },
    { type: "{ a: A; b: B }", yes: [{ a: { n: 1 }, b: { n: 2, a: { n: 1 } } }], no: [{ a: { n: 2 }, b: { n: 2 } }] },
    {
      type: "Expr",
      yes: [
        { op: "num", value: 1 },
        { op: "add", left: { op: "num", value: 1 }, right: { op: "neg", of: { op: "num", value: 2 } } },
      ],
      no: [{ op: "num" }, { op: "add", left: { op: "num", value: 1 } }, { op: "neg", of: 1 }],
    },
    { type: "Expr[]", yes: [[{ op: "num", value: 1 }]], no: [[{ op: "x" }]] },
  ],
}
