/** Objects: their properties, inheritance, intersections, records and mapped types. */
import type { CaseGroup } from "./case.ts"

export const OBJECTS: CaseGroup = {
  declarations: `
interface Point { x: number; y: number }
interface Named { name: string; nick?: string }
interface Person extends Named { age: number; home?: Address }
interface Address { street: string; zip: string | number }
interface Employee extends Person, Point { readonly id: string }
interface Labelled<T> { label: T }
class Box { width = 1; height = 2; area() { return this.width * this.height } }
type Optional = { a?: string; b?: number | null }
type Big = { a: string; b: number; c: boolean; d?: string[] }
type Getters<T> = { [K in keyof T as \`get\${Capitalize<string & K>}\`]: T[K] }
type Nullable<T> = { [K in keyof T]: T[K] | null }
type Deep = { a: { b: { c: { d: number } } } }
type DeepPartial<T> = { [K in keyof T]?: T[K] extends object ? DeepPartial<T[K]> : T[K] }
declare const sym: unique symbol
`,
  cases: [
    { type: "{ a: string }", yes: [{ a: "x" }], no: [{}, { a: 1 }, { a: "x", b: 1 }, "x", null, []] },
    { type: "{ a?: string }", yes: [{}, { a: "x" }], no: [{ a: null }, { b: 1 }, 5] },
    { type: "{ a: string | null }", yes: [{ a: null }, { a: "x" }], no: [{}] },
    { type: "{ a: string; b?: number }", yes: [{ a: "x" }, { a: "x", b: 1 }], no: [{ b: 1 }, { a: "x", b: "y" }] },
    { type: "{ a: string | undefined }", json: "{ a?: string }", yes: [{ a: "x" }, {}], no: [{ a: 1 }] },
    { type: "{ a: unknown }", yes: [{ a: 1 }, { a: null }], no: [{}] },
    { type: "{ a: any; b?: any }", yes: [{ a: 1 }, { a: [], b: 2 }], no: [{}, { b: 1 }] },
    { type: "{ a?: never; b: 1 }", yes: [{ b: 1 }], no: [{ a: 1, b: 1 }] },
    { type: "Point", yes: [{ x: 1, y: 2 }], no: [{ x: 1 }, { x: 1, y: 2, z: 3 }] },
    { type: "Point | null", yes: [{ x: 1, y: 2 }, null], no: [{}] },
    { type: "Point | string", yes: [{ x: 1, y: 2 }, "a"], no: [{ x: 1 }, 1] },
    {
      type: "Person",
      yes: [
        { name: "a", age: 1 },
        { name: "a", age: 1, home: { street: "s", zip: 1 } },
      ],
      no: [{ age: 1 }],
    },
    { type: "Employee", yes: [{ id: "i", name: "a", age: 1, x: 1, y: 2, nick: "n" }], no: [{ id: "i" }] },
    { type: "Labelled<number>", yes: [{ label: 1 }], no: [{ label: "a" }] },
    { type: "Labelled<Labelled<string>>", yes: [{ label: { label: "a" } }], no: [{ label: "a" }] },
    { type: "Labelled<Point[]>", yes: [{ label: [{ x: 1, y: 2 }] }], no: [{ label: { x: 1, y: 2 } }] },
    { type: "Box", json: "{ width: number; height: number }", yes: [{ width: 1, height: 2 }], no: [{ width: 1 }] },
    { type: "Optional", yes: [{}, { a: "x", b: null }, { b: 1 }], no: [{ a: null }] },
    { type: "Partial<Big>", yes: [{}, { a: "x", d: ["y"] }], no: [{ a: 1 }, { e: 1 }] },
    { type: "Required<Optional>", yes: [{ a: "x", b: null }], no: [{ a: "x" }, {}] },
    { type: "Readonly<Big>", yes: [{ a: "x", b: 1, c: true }], no: [{ a: "x" }] },
    { type: 'Pick<Big, "a" | "d">', yes: [{ a: "x" }, { a: "x", d: [] }], no: [{ d: [] }, { a: "x", b: 1 }] },
    { type: 'Omit<Big, "a" | "d">', yes: [{ b: 1, c: true }], no: [{ a: "x", b: 1, c: true }, { b: 1 }] },
    { type: 'Pick<Big, "a"> & Partial<Omit<Big, "a">>', yes: [{ a: "x" }, { a: "x", b: 1 }], no: [{ b: 1 }] },
    {
      type: 'Omit<Person, "home"> & { home: Point }',
      yes: [{ name: "n", age: 1, home: { x: 1, y: 1 } }],
      no: [{ home: { x: 1, y: 1 } }],
    },
    { type: "Nullable<Point>", yes: [{ x: null, y: 1 }], no: [{ x: 1 }] },
    { type: "Getters<Point>", yes: [{ getX: 1, getY: 2 }], no: [{ x: 1, y: 2 }] },
    {
      type: "DeepPartial<Deep>",
      yes: [{}, { a: {} }, { a: { b: { c: { d: 1 } } } }],
      no: [{ a: 1 }, { a: { b: { x: 1 } } }],
    },
    { type: "Deep", yes: [{ a: { b: { c: { d: 1 } } } }], no: [{ a: { b: { c: {} } } }] },
    { type: "{ a: string } & { b: number }", yes: [{ a: "x", b: 1 }], no: [{ a: "x" }, { a: "x", b: 1, c: 1 }] },
    { type: "{ a: string | number } & { a: string }", yes: [{ a: "x" }], no: [{ a: 1 }] },
    { type: "{ a: { b: 1 } } & { a: { c: 2 } }", yes: [{ a: { b: 1, c: 2 } }], no: [{ a: { b: 1 } }] },
    { type: "Point & Named & { z?: number }", yes: [{ x: 1, y: 2, name: "a" }], no: [{ x: 1, y: 2 }] },
    {
      type: "Point & Record<string, number>",
      yes: [
        { x: 1, y: 2 },
        { x: 1, y: 2, z: 3 },
      ],
      no: [{ x: 1, y: 2, z: "a" }],
    },
    { type: "Record<string, number>", yes: [{}, { a: 1, b: 2 }], no: [{ a: "x" }, 1] },
    { type: "Record<string, unknown>", yes: [{}, { a: 1, b: null }], no: ["a", null] },
    { type: "Record<string, string[]>", yes: [{ a: ["x"] }, {}], no: [{ a: "x" }, { a: [1] }] },
    { type: "Record<string, Point>", yes: [{ a: { x: 1, y: 2 } }], no: [{ a: { x: 1 } }, { a: { x: 1, y: 2, z: 3 } }] },
    { type: "Record<string, never>", yes: [{}], no: [{ a: 1 }] },
    { type: 'Record<"a" | "b", number>', yes: [{ a: 1, b: 2 }], no: [{ a: 1 }, { a: 1, b: 2, c: 3 }] },
    { type: 'Partial<Record<"a" | "b", number>>', yes: [{}, { a: 1 }], no: [{ c: 1 }] },
    { type: "Partial<Record<string, number>>", yes: [{}, { a: 1 }], no: [{ a: "x" }] },
    { type: "Record<`x-${string}`, number>", yes: [{ "x-a": 1 }, {}], no: [{ a: 1 }, { "x-a": "b" }] },
    { type: "Record<number, string>", yes: [{ 1: "a" }, {}], no: [{ a: "b" }, { 1: 2 }] },
    { type: "{ [key: string]: boolean }", yes: [{ a: true }], no: [{ a: 1 }] },
    {
      type: "{ a: string; [key: string]: string | number }",
      yes: [{ a: "x", b: 1 }],
      no: [{ b: 1 }, { a: 1 }, { a: "x", b: true }],
    },
    {
      type: "{ a?: 1; [key: `data-${string}`]: string }",
      yes: [{ a: 1, "data-x": "y" }, {}],
      no: [{ x: "y" }, { "data-x": 1 }],
    },
    {
      type: "{ [key: string]: unknown; [key: `n-${string}`]: number }",
      yes: [{ a: "x", "n-a": 1 }],
      no: [{ "n-a": "x" }],
    },
    { type: "{ a: string; run(): void }", json: "{ a: string }", yes: [{ a: "x" }], no: [{}] },
    { type: "{ a: string; run: () => void }", json: "{ a: string }", yes: [{ a: "x" }], no: [{}] },
    { type: "{ a: string; run?: () => void }", yes: [{ a: "x" }], no: [{}, { a: "x", run: 1 }] },
    { type: "{ a: string; s: symbol }", json: "{ a: string }", yes: [{ a: "x" }], no: [{}] },
    { type: "{ a: string; [sym]?: number }", yes: [{ a: "x" }], no: [{}] },
    {
      type: "{ when: Date; at?: URL }",
      json: "{ when: string; at?: string }",
      yes: [{ when: "2020-01-01T00:00:00Z" }],
      no: [{}, { when: 1 }],
    },
    {
      type: '{ "a b": 1; "c-d"?: 2; 3: true }',
      yes: [
        { "a b": 1, 3: true },
        { "a b": 1, "c-d": 2, 3: true },
      ],
      no: [{ "a b": 1 }],
    },
    {
      type: "{ constructor: string; toString: number }",
      yes: [{ constructor: "a", toString: 1 }],
      no: [{ constructor: "a", toString: "b" }],
    },
    { type: "{ get a(): string; set a(v: string) }", yes: [{ a: "x" }], no: [{ a: 1 }] },
    { type: "{ readonly a: readonly string[] }", yes: [{ a: ["x"] }], no: [{ a: [1] }] },
  ],
}
