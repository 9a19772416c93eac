/** Ways out: to the host's objects, to code that was not checked, to what belongs to the sandbox itself. */
import { type Attempt, describeAttempts } from "./sandbox-attempts.ts"

/** Visits every object that can be reached from the global one: keys, symbols, getters, prototypes. */
const WALK = `
  const seen = new Set(), escapes = [], queue = [globalThis, () => {}, async () => {}, function* () {}, async function* () {}, (function* () {})(), (async function* () {})(), [][Symbol.iterator](), new Map().entries(), new Set().values(), 'x'[Symbol.iterator](), 'x'.matchAll(/x/g), Iterator.from({ next() {} }), [].values().map(x => x), Promise.resolve(), new Error('x'), new URL('http://x'), new Headers(), new URLSearchParams(), new TextDecoder(), crypto, crypto.subtle, tools.a, tools.a.b, new Proxy({}, {}), Object(1n), Object(Symbol()), new WeakRef({}), await import('toolyard')]
  try { null.x } catch (e) { queue.push(e) }
  try { await import('fs') } catch (e) { queue.push(e) }
  const add = it => { if (it !== null && (typeof it === 'object' || typeof it === 'function') && !seen.has(it)) { seen.add(it); queue.push(it) } }
  for (const it of queue) {
    seen.add(it)
    for (const make of [() => it.constructor, () => it.constructor.constructor, () => it.__proto__.constructor, () => Object.getPrototypeOf(it).constructor]) try {
      const out = make()('return process')()
      if (out !== undefined) escapes.push(String(out))
    } catch {}
    try { add(Object.getPrototypeOf(it)) } catch {}
    if (it === tools || it === tools.a) continue
    let keys = []
    try { keys = Reflect.ownKeys(it) } catch {}
    for (const key of keys) {
      try { const d = Object.getOwnPropertyDescriptor(it, key); add(d.get); add(d.set); add(d.value) } catch {}
      try { add(it[key]) } catch {}
    }
  }`

const REFUSED = /is not there in the sandbox/
const ABSENT = /is not defined/

const attempts: Attempt[] = [
  {
    name: "the Function constructor through every object there is",
    code: `${WALK}; return { many: seen.size > 700, escapes }`,
    expect: { value: { many: true, escapes: [] } },
    answer: () => "1",
    limits: { cpuMs: 5000 },
  },
  {
    name: "a name of the host on any object there is",
    code: `${WALK}; const names = ['process', 'mainModule', 'require', 'binding', 'Buffer', 'toolyard:send', 'memory', 'exports']; return [...seen].filter(it => it !== tools && it !== tools.a && names.some(name => { try { return Object.hasOwn(it, name) } catch { return false } })).length`,
    expect: { value: 0 },
    answer: () => "1",
    limits: { cpuMs: 5000 },
  },
  { name: "eval", code: "eval('1')", expect: { error: REFUSED } },
  { name: "indirect eval", code: "(0, globalThis['ev' + 'al'])('1')", expect: { error: REFUSED } },
  { name: "new Function", code: "new Function('return this')()", expect: { error: REFUSED } },
  { name: "Function by call", code: "Function('return this')()", expect: { error: REFUSED } },
  {
    name: "Reflect.construct of Function",
    code: "Reflect.construct(Function, ['return this'])()",
    expect: { error: REFUSED },
  },
  { name: "the constructor of an arrow", code: "(() => {}).constructor('return this')()", expect: { error: REFUSED } },
  { name: "AsyncFunction", code: "(async () => {}).constructor('return this')()", expect: { error: REFUSED } },
  { name: "GeneratorFunction", code: "(function* () {}).constructor('yield 1')()", expect: { error: REFUSED } },
  {
    name: "AsyncGeneratorFunction",
    code: "(async function* () {}).constructor('yield 1')()",
    expect: { error: REFUSED },
  },
  {
    name: "Function through a subclass",
    code: "class F extends Function { constructor() { super('return this') } } ;new F()()",
    expect: { error: REFUSED },
  },
  {
    name: "Function through a bound method",
    code: "[].map.constructor.constructor('return 1')()",
    expect: { error: REFUSED },
  },
  { name: "Function through the console", code: "console.log.constructor('return 1')()", expect: { error: REFUSED } },
  { name: "Function through a tool", code: "tools.a.b.constructor('return 1')()", expect: { error: REFUSED } },
  {
    name: "code as a timer's text",
    code: "setTimeout('globalThis.x = 1', 0)",
    expect: { error: /a timer needs a function/ },
  },
  {
    name: "import of a module of the host",
    code: "await import('node:fs')",
    expect: { error: /cannot be imported in the sandbox/ },
  },
  {
    name: "import of a path",
    code: "await import('/etc/passwd')",
    expect: { error: /cannot be imported in the sandbox/ },
  },
  {
    name: "import of a URL",
    code: "await import('https://example.com/x.js')",
    expect: { error: /cannot be imported in the sandbox/ },
  },
  {
    name: "import of data",
    code: "await import('data:text/javascript,export default 1')",
    expect: { error: /cannot be imported in the sandbox/ },
  },
  {
    name: "import of what only looks like ours",
    code: "await import('./toolyard')",
    expect: { error: /cannot be imported in the sandbox/ },
  },
  {
    name: "import with attributes",
    code: "await import('toolyard.json', { with: { type: 'json' } })",
    expect: { error: /cannot be imported|SyntaxError|attribute/ },
  },
  {
    name: "import of something with a name that is no text",
    code: "await import({ toString: () => 'fs' })",
    expect: { error: /cannot be imported in the sandbox/ },
  },
  { name: "import.meta", code: "return import.meta.url", expect: { error: /SyntaxError/ } },
  {
    name: "an import that breaks out of the function",
    code: "}); import fs from 'fs'; (async () => {",
    expect: { error: /SyntaxError/ },
  },
  { name: "process", code: "process.exit(1)", expect: { error: ABSENT } },
  { name: "require", code: "require('fs')", expect: { error: ABSENT } },
  {
    name: "std and os of QuickJS",
    code: "return [typeof std, typeof os, typeof bjson, typeof scriptArgs, typeof print, typeof gc]",
    expect: { value: Array(6).fill("undefined") },
  },
  { name: "WebAssembly", code: "new WebAssembly.Module(new Uint8Array(8))", expect: { error: ABSENT } },
  {
    name: "Atomics.wait",
    code: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    expect: { error: ABSENT },
  },
  {
    name: "workers and channels",
    code: "return [typeof Worker, typeof MessageChannel, typeof BroadcastChannel, typeof ShadowRealm]",
    expect: { value: Array(4).fill("undefined") },
  },
  {
    name: "this of a sloppy function",
    code: "return (function () { return this === globalThis && typeof this.process })()",
    expect: { value: "undefined" },
  },
  {
    name: "the caller of a function",
    code: "function f() { return f.caller } return String(f())",
    expect: { value: "undefined" },
  },
  {
    name: "arguments.callee.caller",
    code: "function f() { return arguments.callee.caller } return String(f())",
    expect: { value: "undefined" },
  },
  {
    name: "the door itself, by call sites",
    code: "Error.prepareStackTrace = (_, sites) => { globalThis.sites = sites; return '' }; ({ get x() { return new Error('y').stack } }).x; console.log({ get x() { return new Error('z').stack } }); Error.captureStackTrace?.({}); return typeof sites",
    expect: { value: "undefined" },
  },
  {
    name: "the door by an error's own constructor",
    code: "class E extends Error { static prepareStackTrace(_, sites) { globalThis.sites = sites } } ;new E().stack; TypeError.prepareStackTrace = E.prepareStackTrace; new TypeError().stack; return typeof sites",
    expect: { value: "undefined" },
  },
  {
    name: "the door by re-entering it from a conversion",
    code: "Array.prototype.map = () => ({ join: () => ({ toString() { return globalThis.entered = 'x' } }) }); Array.prototype.join = () => { globalThis.entered = 'y' }; console.log([1], { a: 1 }); return typeof entered",
    expect: { value: "string" },
  },
  {
    name: "paths of the host in a stack",
    code: "const all = []; for (const f of [() => import('fs'), () => tools.a.b(1n), () => new URL('x'), () => atob('*'), () => setTimeout()]) try { await f() } catch (e) { all.push(e.stack) } Error.stackTraceLimit = 1e9; all.push(new Error('x').stack); return /\\.ts|\\.js|file:|wasm|node/.test(all.join())",
    expect: { value: false },
    answer: () => "1",
  },
  {
    name: "a stack that is switched off",
    code: "Error.stackTraceLimit = -Infinity; delete Error.captureStackTrace; null.x",
    expect: { error: /TypeError/ },
  },
  {
    name: "a clock finer than a millisecond",
    code: "const seen = new Set(); for (let i = 0; i < 3000; i++) seen.add(performance.now() % 1); return seen.size < 4 && Number.isInteger(Date.now())",
    expect: { value: true },
  },
  {
    name: "the host's time zone and language",
    code: "return [new Date(0).getTimezoneOffset(), typeof Intl, typeof navigator]",
    expect: { value: [0, "undefined", "undefined"] },
  },
  {
    name: "the sandbox's own functions, replaced",
    code: "console = null; ToolError = null; tools = 1; globalThis.fetch = null; Object.defineProperty(globalThis, 'setTimeout', { value: 1 }); return 1",
    expect: { value: 1 },
  },
  {
    name: "the global object, frozen and emptied",
    code: "const { freeze } = Object, all = globalThis; for (const key of Reflect.ownKeys(all)) delete all[key]; freeze(all); return 1",
    expect: { value: 1 },
  },
  {
    name: "another script's secrets in fresh memory",
    code: "for (let i = 0; i < 20; i++) { if (new Uint8Array(50000).some(x => x !== 0)) return 'leak'; if (new ArrayBuffer(1e5).slice(0).byteLength !== 1e5) return 'odd' } return 'clean'",
    expect: { value: "clean" },
  },
]

describeAttempts("ways out", attempts)
