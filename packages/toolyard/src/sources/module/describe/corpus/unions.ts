/** Unions of objects, with and without a property that tells them apart, and types that are computed. */
import type { CaseGroup } from "./case.ts"

export const UNIONS: CaseGroup = {
  declarations: `
type Circle = { kind: "circle"; radius: number }
type Square = { kind: "square"; side: number }
type Rect = { kind: "rect"; w: number; h: number; color?: string }
type Shape = Circle | Square | Rect
type Ok<T> = { ok: true; value: T }
type Err = { ok: false; error: string }
interface ById { id: number }
interface ByName { name: string }
interface Range { from?: number; to?: number }
type Event2 = { type: "click"; at: { x: number; y: number } } | { type: "key"; key: string; mods?: ("ctrl" | "alt")[] }
type IsString<T> = T extends string ? { text: T } : { other: T }
type ElementOf<T> = T extends (infer U)[] ? U : never
type Params<F> = F extends (a: infer A) => unknown ? A : never
type Paths<T> = { [K in keyof T & string]: T[K] extends object ? K | \`\${K}.\${Paths<T[K]>}\` : K }[keyof T & string]
type Xor<A, B> = (A & { [K in keyof B]?: never }) | (B & { [K in keyof A]?: never })
declare function sample(a: { q: string; n?: number }): Promise<{ hits: string[] }>
const config = { host: "h", port: 1, nested: { on: true } }
type Op = { op: "add" | "sub"; a: number; b: number } | { op: "neg"; a: number }
`,
  cases: [
    {
      type: "Shape",
      yes: [
        { kind: "circle", radius: 1 },
        { kind: "rect", w: 1, h: 2 },
      ],
      no: [{ kind: "circle", side: 1 }, { kind: "tri" }, { kind: "square", side: 1, radius: 1 }],
    },
    { type: "Shape[]", yes: [[{ kind: "square", side: 1 }]], no: [[{ kind: "square" }]] },
    { type: "Circle | null", yes: [{ kind: "circle", radius: 1 }, null], no: [{ kind: "square" }] },
    {
      type: "Ok<number> | Err",
      yes: [
        { ok: true, value: 1 },
        { ok: false, error: "e" },
      ],
      no: [
        { ok: true, error: "e" },
        { ok: true, value: 1, error: "e" },
      ],
    },
    {
      type: "Ok<Shape> | Err",
      yes: [{ ok: true, value: { kind: "square", side: 1 } }],
      no: [{ ok: true, value: { kind: "square" } }],
    },
    {
      type: "ById | ByName",
      yes: [{ id: 1 }, { name: "a" }, { id: 1, name: "a" }],
      no: [{}, { id: "1" }, { id: 1, name: 2 }, { id: 1, x: 1 }],
    },
    {
      type: "ById | ByName | Range",
      yes: [{ id: 1 }, {}, { from: 1 }, { id: 1, from: 2 }],
      no: [{ from: "a" }, { x: 1 }],
    },
    { type: "ById | string", yes: [{ id: 1 }, "a"], no: [{}, 1] },
    { type: "ById | ByName[]", yes: [{ id: 1 }, [{ name: "a" }]], no: [{ name: "a" }, [{ id: 1 }]] },
    { type: "{ a: string } | { a: number }", yes: [{ a: "x" }, { a: 1 }], no: [{ a: true }, {}] },
    {
      type: "{ a: 1; b: string } | { a: 2; c: string }",
      yes: [
        { a: 1, b: "x" },
        { a: 2, c: "x" },
      ],
      no: [
        { a: 1, c: "x" },
        { a: 1, b: "x", c: "y" },
      ],
    },
    {
      type: "{ a: string; b: number } | { a: string; c: number }",
      yes: [
        { a: "x", b: 1 },
        { a: "x", c: 1 },
        { a: "x", b: 1, c: 1 },
      ],
      no: [{ a: "x" }, { b: 1, c: 1 }],
    },
    {
      type: "{ a: string } | { b: number } | { c: boolean }",
      yes: [{ a: "x" }, { b: 1, c: true }],
      no: [{ d: 1 }, {}],
    },
    { type: "{ a: { x: 1 } } | { b: { y: 2 } }", yes: [{ a: { x: 1 } }, { b: { y: 2 } }], no: [{ a: { y: 2 } }] },
    {
      type: "{ type: 'a' | 'b'; x: 1 } | { type: 'c'; y: 2 }",
      yes: [
        { type: "a", x: 1 },
        { type: "c", y: 2 },
      ],
      no: [{ type: "c", x: 1 }],
    },
    {
      type: "{ v: null; a: 1 } | { v: string; b: 2 }",
      yes: [
        { v: null, a: 1 },
        { v: "s", b: 2 },
      ],
      no: [{ v: null, b: 2 }],
    },
    {
      type: "Event2",
      yes: [
        { type: "click", at: { x: 1, y: 2 } },
        { type: "key", key: "a", mods: ["ctrl"] },
      ],
      no: [
        { type: "key", at: { x: 1, y: 2 } },
        { type: "key", key: "a", mods: ["shift"] },
      ],
    },
    {
      type: "Op",
      yes: [
        { op: "add", a: 1, b: 2 },
        { op: "neg", a: 1 },
      ],
      no: [
        { op: "neg", a: 1, b: 2 },
        { op: "sub", a: 1 },
      ],
    },
    {
      type: "(ById | ByName) & { extra: boolean }",
      yes: [
        { id: 1, extra: true },
        { name: "a", extra: false },
      ],
      no: [{ extra: true }],
    },
    {
      type: "Shape & { id: string }",
      yes: [{ kind: "circle", radius: 1, id: "a" }],
      no: [{ kind: "circle", radius: 1 }],
    },
    {
      type: 'Extract<Shape, { kind: "circle" }>',
      yes: [{ kind: "circle", radius: 1 }],
      no: [{ kind: "square", side: 1 }],
    },
    {
      type: 'Exclude<Shape, { kind: "circle" }>',
      yes: [{ kind: "square", side: 1 }],
      no: [{ kind: "circle", radius: 1 }],
    },
    { type: 'Shape["kind"]', yes: ["circle", "rect"], no: ["tri"] },
    { type: "Xor<ById, ByName>", yes: [{ id: 1 }, { name: "a" }], no: [{ id: 1, name: "a" }, {}] },
    { type: "IsString<'a'>", yes: [{ text: "a" }], no: [{ other: "a" }] },
    { type: "IsString<number>", yes: [{ other: 1 }], no: [{ text: "a" }] },
    { type: "IsString<string | number>", yes: [{ text: "a" }, { other: 1 }, { text: "a", other: 1 }], no: [{}] },
    { type: "ElementOf<Circle[]>", yes: [{ kind: "circle", radius: 1 }], no: [{}] },
    { type: "Params<typeof sample>", yes: [{ q: "a" }, { q: "a", n: 1 }], no: [{}] },
    { type: "Parameters<typeof sample>[0]", yes: [{ q: "a" }], no: [{ n: 1 }] },
    { type: "Awaited<ReturnType<typeof sample>>", yes: [{ hits: ["a"] }], no: [{ hits: "a" }] },
    { type: "Paths<{ a: { b: 1; c: 2 }; d: 3 }>", yes: ["a", "a.b", "d"], no: ["b", "a.d"] },
    { type: "typeof config", yes: [{ host: "a", port: 2, nested: { on: false } }], no: [{ host: "a" }] },
    { type: "(typeof config)['nested']", yes: [{ on: true }], no: [{}] },
    {
      type: "Partial<Circle> | Square",
      yes: [{ kind: "circle" }, { kind: "square", side: 1 }, {}],
      no: [{ kind: "square" }],
    },
    { type: "Record<string, ById | null>", yes: [{ a: { id: 1 }, b: null }], no: [{ a: {} }] },
    {
      type: "{ filter: ById | ByName; page?: Range }",
      yes: [{ filter: { id: 1 } }, { filter: { name: "a" }, page: {} }],
      no: [{ filter: {} }],
    },
    { type: "{ a: string } | { [key: string]: number }", yes: [{ a: "x" }, { b: 1 }], no: [{ b: "x" }] },
    {
      type: "{ mode: 'fast' } | { mode: 'slow'; wait: number } | 'auto'",
      yes: [{ mode: "fast" }, "auto"],
      no: [{ mode: "slow" }, "x"],
    },
    {
      type: "Date | Circle",
      json: "string | Circle",
      yes: ["2020-01-01T00:00:00Z", { kind: "circle", radius: 1 }],
      no: [1],
    },
  ],
}
