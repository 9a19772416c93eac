/** Scripts that would compute for ever, in every place where code of theirs runs. */
import { type Attempt, describeAttempts } from "./sandbox-attempts.ts"

const LOOP = "for (;;);"

/** Where the endless loop stands. */
const PLACES: Record<string, string> = {
  "in the script": LOOP,
  "that does nothing but catch": "for (;;) try { throw 1 } catch {}",
  "with finally that returns to it": "for (;;) try { for (;;) {} } finally { continue }",
  "after an await": `await 0; ${LOOP}`,
  "after an answer": `await tools.a.b(); ${LOOP}`,
  "in a regular expression": "/^(\\w+\\s?)*$/.test('a'.repeat(60) + '!')",
  "in a regular expression with a backreference": "/(a*)*\\1b/.test('a'.repeat(60))",
  "in microtasks": "const f = () => { queueMicrotask(f) }; f(); await new Promise(() => {})",
  "of promises": "const f = () => Promise.resolve().then(f); await f()",
  "of awaits": "for (;;) await null",
  "of thenables": "const t = { then(done) { done(t) } }; await t",
  "in a getter of the value": `return { get x() { ${LOOP} } }`,
  "in toJSON of the value": `return { toJSON() { ${LOOP} } }`,
  "in toJSON of an argument": `await tools.a.b({ toJSON() { ${LOOP} } })`,
  "in a proxy": `return new Proxy({}, { ownKeys() { ${LOOP} } })`,
  "in Symbol.iterator": `new Set({ [Symbol.iterator]() { ${LOOP} } })`,
  "of an iterator without end": "new Map({ *[Symbol.iterator]() { for (let i = 0; ; i++) yield [0, i] } })",
  "in Symbol.toPrimitive": `return 1 + { [Symbol.toPrimitive]() { ${LOOP} } }`,
  "in Symbol.hasInstance": `return 1 instanceof { [Symbol.hasInstance]() { ${LOOP} } }`,
  "in a sort comparator": `[3, 2, 1].sort(() => { ${LOOP} })`,
  "in a replace callback": `'a'.replace(/a/, () => { ${LOOP} })`,
  "in a JSON.parse reviver": `JSON.parse('[1]', () => { ${LOOP} })`,
  "in a JSON.stringify replacer": `JSON.stringify([1], () => { ${LOOP} })`,
  "in a generator": `function* g() { ${LOOP} } ;[...g()]`,
  "in an async generator": `async function* g() { ${LOOP} } ;for await (const x of g());`,
  "in a class's static block": `class A { static { ${LOOP} } }`,
  "in a default parameter": `const f = (x = (() => { ${LOOP} })()) => x; f()`,
  "in the console's formatter": `console.log({ get x() { ${LOOP} } })`,
  "in what the console walks through": "const wide = n => n ? Array(30).fill(wide(n - 1)) : 1; console.log(wide(6))",
  "in the message of what it throws": `throw { get message() { ${LOOP} }, get name() { ${LOOP} } }`,
  "in the stack of what it throws": `const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { ${LOOP} } }); throw e`,
  "in a timer": `setTimeout(() => { ${LOOP} }, 0); await new Promise(() => {})`,
  "in what a timer throws": `setTimeout(() => { throw { get message() { ${LOOP} } } }, 0); await new Promise(() => {})`,
  "of timers that never wait":
    "setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); }, 0); await new Promise(() => {})",
  "in a setter on Object.prototype": `Object.defineProperty(Object.prototype, 'then', { get() { ${LOOP} } }); return {}`,
  "in an overridden Map, reached by its own call": `Map.prototype.has = () => { ${LOOP} }; setTimeout(() => {}, 0); await new Promise(() => {})`,
  "in structuredClone": `structuredClone({ get x() { ${LOOP} } })`,
  "in Headers": `new Headers({ get x() { ${LOOP} } })`,
  "in URLSearchParams": `new URLSearchParams({ get x() { ${LOOP} } })`,
  "in a URL's text": `new URL({ toString() { ${LOOP} } })`,
  "in a species constructor": `class A extends Array { static get [Symbol.species]() { ${LOOP} } } ;new A(3).map(x => x)`,
  "in a tagged template": `((s) => { ${LOOP} })\`x\``,
  "in a label of loops": "a: for (;;) b: for (;;) continue a",
  "of recursion that never deepens": "const f = () => { try { return f() } catch { return f() } }; f()",
  "over an array of holes": "new Array(2 ** 32 - 1).forEach(x => x)",
  "over an array-like without end": "return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)",
  "in a module": "await import('toolyard'); for (;;) await import('toolyard')",
}

const attempts = Object.entries(PLACES).map(
  ([place, code]): Attempt => ({ name: `a loop ${place}`, code, expect: "cpu", answer: () => "" }),
)

describeAttempts("endless loops", attempts)
describeAttempts("endless loops without bwrap", attempts.slice(0, 4), false)
