/** Where a schema can't or shouldn't say what TypeScript says. */
import type { CaseGroup, Exception } from "./case.ts"

export const LIMITS: CaseGroup = {
  declarations: "",
  cases: [
    { type: "`${number}em`", yes: ["1em"], no: ["em"], near: ["0x1Fem", " 1em", "+1em", "1_0em"] },
    { type: "`${number}-${number}`", yes: ["1-2"], no: ["1"], near: ["-1-2", "1--2"] },
    { type: "Uppercase<string> & {}", yes: ["A"], no: ["a"], near: ["É", "é"] },
    { type: "[...string[], number]", yes: [[1], ["a", 1]], no: [[], [true]] },
    { type: "[boolean, ...string[], number]", yes: [[true, "a", 1]], no: [[1]] },
    { type: "{ length: number }", yes: [{ length: 1 }], no: [{}] },
    {
      type: "{ a: 3; c?: 1 } | { a?: number; e?: 1 }",
      yes: [
        { a: 3, c: 1 },
        { a: 1, e: 1 },
      ],
      no: [{ c: 1 }],
      near: [{ a: 1, c: 1 }],
    },
  ],
}

const isString = (value: unknown) => typeof value === "string"

export const EXCEPTIONS: Exception[] = [
  {
    types: /^`\$\{number\}em`$/,
    value: isString,
    why: "TypeScript also takes hexadecimal numbers and spaces around, which nobody means who writes `${number}`",
  },
  {
    types: /^`\$\{number\}-\$\{number\}`$/,
    value: isString,
    why: "TypeScript ends a part at the first separator, a pattern at any that fits",
  },
  {
    types: /^Uppercase<string> & \{\}$/,
    value: isString,
    why: "patterns that every validator understands know no letters but those of ASCII",
  },
  {
    types: /^\[.*\.\.\.string\[\], number\]$/,
    value: Array.isArray,
    why: "no keyword says what comes after a rest of any length",
  },
  {
    types: /^\{ (length|filter): /,
    value: value => isString(value) || Array.isArray(value),
    why: "strings and arrays have a `length` and arrays a method `filter`, but an object is what is meant",
  },
  {
    types: /^Record<number, string>$/,
    value: value => isString(value) || Array.isArray(value),
    why: "strings and arrays have numbers for keys, but an object is what is meant",
  },
  {
    types: /^\{ a: 3; c\?: 1 \} \| /,
    value: value => JSON.stringify(value) === '{"a":1,"c":1}',
    why: "a property tells two members apart only if it has to be there in both and has no value in common",
  },
]
