/** Scripts that want more than there is: memory, depth, calls, words. */
import { type Attempt, describeAttempts } from "./sandbox-attempts.ts"

const BOMBS: Record<string, string> = {
  "an array": "const a = []; for (;;) a.push(a.length)",
  "arrays in arrays": "let a = []; for (;;) a = [a, a.slice()]",
  ArrayBuffers: "const a = []; for (;;) a.push(new ArrayBuffer(1e6))",
  "one huge ArrayBuffer": "return new ArrayBuffer(2 ** 31).byteLength",
  "a resizable ArrayBuffer": "const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30)",
  "a growing SharedArrayBuffer": "const b = new SharedArrayBuffer(1, { maxByteLength: 2 ** 31 }); b.grow(2 ** 31 - 1)",
  SharedArrayBuffers: "const a = []; for (;;) a.push(new SharedArrayBuffer(1e6))",
  "typed arrays": "const a = []; for (;;) a.push(new Float64Array(1e5).fill(1))",
  "a string that doubles": "let s = 'x'; for (;;) s += s",
  "String.repeat": "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)",
  "String.padEnd": "return 'x'.padEnd(2 ** 30 - 1, 'ab').length",
  "String.concat": "let s = 'x'.repeat(1e6); for (;;) s = s.concat(s)",
  "Array.join": "return Array(5000).fill('x'.repeat(1e5)).join().length",
  "a Map": "const m = new Map(); for (let i = 0; ; i++) m.set('k' + i, { i })",
  "a Set of symbols": "const s = new Set(); for (;;) s.add(Symbol('x'.repeat(1000)))",
  closures: "const a = []; for (;;) { const big = Array(1000).fill(0); a.push(() => big) }",
  promises: "const a = []; for (;;) a.push(new Promise(() => {}).then(() => a))",
  WeakRefs: "const a = []; for (;;) { const o = { p: Array(100) }; a.push(o, new WeakRef(o)) }",
  "regular expression captures": "const a = []; for (;;) a.push(/(x+)(x*)/.exec('x'.repeat(1e5)))",
  BigInts: "const a = []; for (let i = 1n; ; i++) a.push((1n << 500000n) + i)",
  "object keys": "const o = {}; for (let i = 0; ; i++) o['key' + i] = i",
  "array-likes": "return Array.from({ length: 2 ** 32 - 1 }).length",
  "fill over an array-like": "return [].fill.call({ length: 2 ** 53 - 1 }, 1)",
  split: "return 'a'.repeat(1e7).split('').length",
  structuredClone: "const a = []; const big = Array(1e4).fill('x'); for (;;) a.push(structuredClone(big))",
  TextDecoder: "return new TextDecoder('utf-16le').decode(new Uint8Array(5e7)).length",
  TextEncoder: "return new TextEncoder().encode('é'.repeat(3e7)).length",
  Headers: "const h = new Headers(); for (let i = 0; ; i++) h.append('x', 'y'.repeat(1e6))",
  URLSearchParams: "const u = new URLSearchParams(); for (let i = 0; ; i++) u.append('k' + i, 'v'.repeat(1e5))",
  "a JSON text": "return JSON.stringify(Array(1e6).fill('x'.repeat(1000))).length",
  "JSON.stringify over holes": "return { toJSON: () => new Array(2 ** 32 - 1) }",
  "a console line": "console.log(Array(1e7).fill('x'))",
  "a result of 100 MB": "return 'x'.repeat(1e8)",
}

const DEEP: Record<string, { code: string; expect: Attempt["expect"] }> = {
  "of functions": { code: "const f = () => f() + 1; f()", expect: { error: /call stack/ } },
  "of getters": { code: "const o = { get x() { return this.x } }; o.x", expect: { error: /call stack/ } },
  "of JSON.parse": { code: "JSON.parse('['.repeat(1e5))", expect: { error: /call stack/ } },
  "of JSON.stringify": {
    code: "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; return a",
    expect: { error: /call stack/ },
  },
  "of Array.flat": {
    code: "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; a.flat(Infinity)",
    expect: { error: /call stack/ },
  },
  "of toString": {
    code: "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; String(a)",
    expect: { error: /call stack/ },
  },
  "of a regular expression": {
    code: "new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5))",
    expect: { error: /SyntaxError|call stack|stack overflow/ },
  },
  "of proxies": {
    code: "let p = {}; for (let i = 0; i < 5e4; i++) p = new Proxy(p, {}); p.x",
    expect: { error: /call stack/ },
  },
  "of bound functions": {
    code: "let f = () => 1; for (let i = 0; i < 3000; i++) f = f.bind(null); f()",
    expect: { error: /call stack/ },
  },
  "of async generators": {
    code: "async function* g(n) { if (n) yield* g(n - 1) } for await (const x of g(1e5));",
    expect: { error: /call stack/ },
  },
  "of destructuring": {
    code: "const f = ({ x: [y = f({ x: [] })] }) => y; f({ x: [] })",
    expect: { error: /call stack/ },
  },
  "of thenables": {
    code: "let p = Promise.resolve(1); for (let i = 0; i < 2e4; i++) { const q = p; p = { then(r) { q.then(r) } } } await p",
    expect: { error: /call stack/ },
  },
  "of instanceof through bound functions": {
    code: "let f = class {}; for (let i = 0; i < 3000; i++) f = f.bind(null); return {} instanceof f",
    expect: { error: /call stack/ },
  },
  "of a sort comparator": { code: "const f = () => [2, 1].sort(f); f()", expect: { error: /call stack/ } },
  "of errors' causes": {
    code: "let e = new Error('x'); for (let i = 0; i < 5e4; i++) e = new Error('y', { cause: e }); throw e",
    expect: { error: /"y"/ },
  },
  "of prototypes": {
    code: "let o = {}; for (let i = 0; i < 1e4; i++) o = Object.create(o); return o.x === undefined",
    expect: { value: true },
  },
  "of structuredClone": {
    code: "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; structuredClone(a)",
    expect: "contained",
  },
  "of freed values": {
    code: "let p = []; for (let i = 0; i < 5e4; i++) p = [p]; p = null; return 1",
    expect: { value: 1 },
  },
  "of source text": {
    code: `return ${"[".repeat(2e4)}${"]".repeat(2e4)}`,
    expect: { stopped: /stack/ },
  },
}

const FLOODS: Attempt[] = [
  {
    name: "200,000 calls, awaited",
    code: "for (let i = 0; i < 2e5; i++) await tools.a.b().catch(() => {})",
    expect: "cpu",
    answer: () => "1",
    limits: { maxCalls: 50, cpuMs: 600 },
  },
  {
    name: "200,000 calls, not awaited",
    code: "for (let i = 0; i < 2e5; i++) tools.a.b()",
    expect: "cpu",
    limits: { cpuMs: 600 },
  },
  {
    name: "calls with large arguments",
    code: "try { await tools.a.b('x'.repeat(2e6)) } catch (e) { return e.code }",
    expect: { value: "limit_result" },
    limits: { maxResultBytes: 1e6 },
  },
  {
    name: "a console flood",
    code: "for (;;) console.log('x'.repeat(1000))",
    expect: { stopped: /limit_logs/ },
    limits: { cpuMs: 5000 },
  },
  {
    name: "a flood of empty lines",
    code: "for (;;) console.log()",
    expect: { stopped: /limit_logs/ },
    limits: { maxLogBytes: 1000 },
  },
  {
    name: "a value over the limit",
    code: "return 'x'.repeat(2e6)",
    expect: { stopped: /limit_result/ },
    limits: { maxResultBytes: 1e6 },
  },
  {
    name: "an error over the limit",
    code: "throw new Error('x'.repeat(2e6))",
    expect: { stopped: /limit_result/ },
    limits: { maxResultBytes: 1e6 },
  },
  {
    name: "timers without number",
    code: "try { for (;;) setTimeout(() => {}, 1) } catch (e) { return e.code }",
    expect: { value: "limit_calls_in_flight" },
    limits: { maxCallsInFlight: 100 },
  },
]

describeAttempts(
  "memory bombs",
  Object.entries(BOMBS).map(([name, code]): Attempt => ({ name, code, expect: "memory", limits: { cpuMs: 20_000 } })),
)
describeAttempts(
  "depth",
  Object.entries(DEEP).map(
    ([name, { code, expect }]): Attempt => ({ name: `depth ${name}`, code, expect, limits: { cpuMs: 20_000 } }),
  ),
)
describeAttempts("floods", FLOODS)
