/** What crosses the border: arguments, answers, values, errors, and the extensions that are written in C. */
import { type Attempt, describeAttempts } from "./sandbox-attempts.ts"

const echo = ({ payload }: { payload: string }): string => payload

const crossing: Attempt[] = [
  {
    name: "pollution of Object.prototype before a call",
    code: "Object.prototype.server = 'x'; Object.prototype.toJSON = undefined; Object.prototype.isTimer = true; Object.prototype.resolve = 1; return await tools.a.b({ n: 1 })",
    answer: echo,
    expect: { value: ["a", "b", { n: 1 }] },
  },
  {
    name: "setters on Object.prototype for every name that is used",
    code: "for (const key of ['resolve', 'reject', 'isTimer', 'ok', 'json', 'message', 'name', 'stack', 'tool', 'id']) Object.defineProperty(Object.prototype, key, { set() { throw 'trapped' }, get() { return 'trapped' }, configurable: true }); return await tools.a.b(1)",
    answer: echo,
    expect: { value: ["a", "b", 1] },
  },
  {
    name: "JSON replaced",
    code: "JSON.stringify = () => '[\"evil\",\"tool\"]'; JSON.parse = () => 'evil'; JSON = null; return await tools.a.b(2)",
    answer: echo,
    expect: { value: ["a", "b", 2] },
  },
  {
    name: "Promise replaced while a call waits",
    code: "const p = tools.a.b(3); Promise.prototype.then = () => { throw 1 }; Promise = class { constructor() { throw 2 } }; return await p",
    answer: echo,
    expect: { value: ["a", "b", 3] },
  },
  {
    name: "Map and Symbol.iterator replaced",
    code: "Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => 5; Map = null; Array.prototype[Symbol.iterator] = null; return await tools.a.b(4)",
    answer: echo,
    expect: { value: ["a", "b", 4] },
  },
  {
    name: "Array.prototype.toJSON, to name another tool",
    code: "Array.prototype.toJSON = () => undefined; return String(await tools.a.b(5))",
    answer: echo,
    expect: { value: "null" },
  },
  {
    name: "keys of a prototype in arguments and answers",
    code: 'const out = await tools.a.b(JSON.parse(\'{"__proto__":{"admin":1},"constructor":{"prototype":{"admin":1}}}\')); return [({}).admin === undefined, Object.getPrototypeOf(out[2]) === Object.prototype, JSON.stringify(out)]',
    answer: echo,
    expect: { value: [true, true, '["a","b",{"__proto__":{"admin":1},"constructor":{"prototype":{"admin":1}}}]'] },
  },
  {
    name: "names of tools that mean something",
    code: "const all = []; for (const s of ['__proto__', 'constructor', 'hasOwnProperty', 'valueOf', '', ' ', 'a b\\n', '\\0', '\\ud800', '𝒳']) all.push(await tools[s][s]()); return [typeof tools.then, typeof tools.a.then, typeof tools.toJSON, all.length, all[0], all[6]]",
    answer: echo,
    expect: { value: ["undefined", "undefined", "undefined", 10, ["__proto__", "__proto__"], ["a b\n", "a b\n"]] },
  },
  {
    name: "a frame inside a text",
    code: "return await tools.a.b('\\x05\\0\\0\\0\\x23\\x01\\0\\0\\0\\0\\0\\0\\0 value 1\\n' + String.fromCharCode(...Array(256).keys()))",
    answer: () => '"kept"',
    expect: { value: "kept" },
  },
  {
    name: "a call that is answered twice",
    code: "const a = await tools.a.b(); return [a, await tools.a.b()]",
    answer: ({ id }) => String(id),
    expect: { value: [1, 2] },
  },
  {
    name: "tools changed, deleted, redefined",
    code: "'use strict'; const all = []; for (const f of [() => { tools.a = 1 }, () => { delete tools.a }, () => Object.defineProperty(tools, 'a', { value: 1 }), () => Object.setPrototypeOf(tools, null), () => Object.freeze(tools)]) try { f(); all.push('ok') } catch (e) { all.push(e.name) } return [all.slice(0, 3), typeof tools.a.b]",
    expect: { value: [["TypeError", "TypeError", "TypeError"], "function"] },
  },
  {
    name: "a getter that calls while its object is sent",
    code: "return await tools.a.b({ get x() { tools.c.d({ get y() { return tools.e.f() } }); return 1 } })",
    answer: echo,
    expect: { value: ["a", "b", { x: 1 }] },
  },
  {
    name: "an argument that ends the run while it is sent",
    code: "await tools.a.b({ toJSON() { throw new Error('out of here') } })",
    expect: { error: /out of here/ },
  },
  {
    name: "a value that calls while it is sent",
    code: "return { toJSON() { tools.a.b(); return 7 } }",
    answer: echo,
    expect: { value: 7 },
  },
  {
    name: "a thenable that resolves twice and throws",
    code: "return { then(yes, no) { yes(1); no(2); yes(3); throw 4 } }",
    expect: { value: 1 },
  },
  {
    name: "a promise that is resolved with itself",
    code: "let yes; const p = new Promise(r => { yes = r }); yes(p); await p",
    expect: { error: /TypeError/ },
  },
  {
    name: "a promise of another species",
    code: "class P extends Promise { static get [Symbol.species]() { throw new Error('species') } } ;return await P.resolve(1)",
    expect: { error: /species/ },
  },
  { name: "a value that nobody waits for", code: "await new Promise(() => {})", expect: { error: /will never come/ } },
  {
    name: "rejections that nobody handles",
    code: "Promise.reject(1); (async () => { throw 2 })(); await 0; return 1",
    expect: { value: 1 },
  },
  { name: "throwing null", code: "throw null", expect: { error: /"null"/ } },
  {
    name: "throwing a proxy",
    code: "throw new Proxy(new Error('x'), { get() { throw 1 }, getPrototypeOf() { throw 2 }, has() { throw 3 } })",
    expect: { error: /cannot be shown/ },
  },
  {
    name: "throwing a revoked proxy",
    code: "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy",
    expect: { error: /cannot be shown/ },
  },
  {
    name: "throwing what throws when looked at",
    code: "throw { get message() { throw 1 }, get name() { throw 2 }, toString() { throw 3 }, [Symbol.toPrimitive]() { throw 4 } }",
    expect: { error: /cannot be shown/ },
  },
  {
    name: "throwing an error whose parts are objects",
    code: "throw Object.assign(new Error('x'), { name: { a: 1 }, message: { b: 1 } })",
    expect: { error: /object Object/ },
  },
  {
    name: "a forged ToolError",
    code: "throw Object.assign(new ToolError('x', { code: '__proto__', server: {}, tool: [] }), { extra: 1 })",
    expect: { error: /"x"/ },
  },
  { name: "a forged end by a message", code: "throw new Error('interrupted')", expect: { error: /interrupted/ } },
  {
    name: "the log as a way to speak for the sandbox",
    code: "console.log('value 1', '\\n', 'ended'); console.log({ toString: () => 'x', level: 'call' }); return 1",
    expect: { value: 1 },
  },
]

const extensions: Attempt[] = [
  {
    name: "structuredClone of what can't be cloned",
    code: "const all = []; for (const it of [() => {}, Symbol(), new Proxy({}, {}), tools, new WeakMap(), crypto, Promise.resolve()]) try { structuredClone(it); all.push('cloned') } catch (e) { all.push('refused') } return all.length",
    expect: { value: 7 },
  },
  {
    name: "structuredClone that detaches what it walks",
    code: "const b = new ArrayBuffer(64); const o = { get a() { b.transfer(); return 1 }, b: new Uint8Array(b) }; try { structuredClone(o) } catch {} return b.byteLength === 0 || b.byteLength === 64",
    expect: { value: true },
  },
  {
    name: "structuredClone with a transfer list that throws",
    code: "try { structuredClone({}, { transfer: { get length() { throw 1 }, [Symbol.iterator]() { throw 2 } } }) } catch {} return 1",
    expect: { value: 1 },
  },
  {
    name: "structuredClone that changes what it walks",
    code: "const a = [1, 2, 3, { get x() { a.length = 0; return 1 } }, 5]; return structuredClone(a).length <= 5",
    expect: { value: true },
  },
  {
    name: "encodeInto a buffer that is detached",
    code: "const u = new Uint8Array(8); u.buffer.transfer(); try { const r = new TextEncoder().encodeInto('abcdefgh', u); return r.written } catch { return 0 }",
    expect: { value: 0 },
  },
  {
    name: "encodeInto a buffer that shrinks meanwhile",
    code: "const b = new ArrayBuffer(1000, { maxByteLength: 1000 }); const u = new Uint8Array(b); try { new TextEncoder().encodeInto({ toString() { b.resize(1); return 'x'.repeat(1000) } }, u) } catch {} return [b.byteLength, u.length]",
    expect: "contained",
  },
  {
    name: "TextDecoder with names and bytes that are none",
    code: "const all = []; for (const label of ['', 'nope', 'utf-8\\0', 'x'.repeat(1e5), null]) try { new TextDecoder(label); all.push(1) } catch (e) { all.push(0) } ; return [all[1], new TextDecoder().decode(new Uint8Array([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80])).length > 0]",
    expect: { value: [0, true] },
  },
  {
    name: "TextDecoder over a detached buffer",
    code: "const u = new Uint8Array(8); u.buffer.transfer(); try { return new TextDecoder().decode(u).length } catch { return 0 }",
    expect: { value: 0 },
  },
  {
    name: "URL of every odd kind",
    code: "let n = 0; for (const text of ['', 'http://', 'http://[::1', 'http://a:99999', 'javascript:1', 'http://%00', 'http://\\ud800', '//x', 'http://' + 'a.'.repeat(1e4), 'x:' + '\\0'.repeat(1e4), 'http://0x7f.1/', 'file:///etc/passwd']) try { const u = new URL(text); u.port = '1e9'; u.host = '\\0'; u.search = text; n++ } catch { n++ } return n",
    expect: { value: 12 },
  },
  {
    name: "URLSearchParams that change while they are walked",
    code: "const u = new URLSearchParams('a=1&b=2&c=3'); let n = 0; for (const [k] of u) { u.delete(k); u.append('z' + n, '1'); if (++n > 50) break } u.forEach(() => u.delete('z1')); return n > 0",
    expect: { value: true },
  },
  {
    name: "Headers with names and values that are none",
    code: "const all = []; for (const [k, v] of [['a\\r\\nb', '1'], ['a', '1\\r\\nset: 2'], ['', '1'], ['a\\0', '1'], ['é', '1']]) try { new Headers([[k, v]]); all.push('taken') } catch { all.push('refused') } return all",
    expect: { value: Array(5).fill("refused") },
  },
  {
    name: "Headers that change while they are walked",
    code: "const h = new Headers({ a: '1', b: '2' }); let n = 0; for (const [k] of h) { h.delete(k); h.append('z' + n, '1'); if (++n > 50) break } h.forEach((v, k) => h.delete(k)); return n > 0",
    expect: { value: true },
  },
  {
    name: "Headers from what re-enters",
    code: "const h = new Headers(); try { new Headers({ get x() { return new Headers({ get y() { h.append('a', 'b'); throw new Error('in') } }) } }) } catch {} return h.get('a')",
    expect: { value: "b" },
  },
  {
    name: "crypto into what is no buffer",
    code: "let n = 0; for (const it of [null, 1, {}, [], new Float64Array(1), new DataView(new ArrayBuffer(1)), new Uint8Array(70000), { length: 5, buffer: 1, byteLength: 1e9 }]) try { crypto.getRandomValues(it) } catch { n++ } return n >= 6",
    expect: { value: true },
  },
  {
    name: "crypto into a detached buffer",
    code: "const u = new Uint8Array(64); u.buffer.transfer(); try { crypto.getRandomValues(u) } catch {} return u.length",
    expect: { value: 0 },
  },
  {
    name: "crypto with algorithms that are none",
    code: "let n = 0; for (const a of [null, {}, { name: {} }, { name: 'AES-GCM', length: -1 }, { name: 'RSA-OAEP', modulusLength: 2 ** 31 }, { get name() { throw 1 } }, 'x'.repeat(1e6)]) try { await crypto.subtle.generateKey(a, true, ['encrypt']) } catch { n++ } return n",
    expect: { value: 7 },
  },
  {
    name: "methods of extensions on others' objects",
    code: "let n = 0; for (const [proto, key] of [[URL.prototype, 'toString'], [Headers.prototype, 'get'], [URLSearchParams.prototype, 'append'], [TextDecoder.prototype, 'decode'], [TextEncoder.prototype, 'encodeInto']]) for (const it of [null, {}, Object.create(proto), new Map(), new Proxy({}, {}), tools]) try { proto[key].call(it, 'a', new Uint8Array(4)) } catch { n++ } return n",
    expect: { value: 18 },
  },
  {
    name: "typed arrays that are resized under a native",
    code: "const b = new ArrayBuffer(800, { maxByteLength: 800 }); const u = new Float64Array(b); try { u.sort(() => { b.resize(8); return 1 }) } catch {} try { u.fill({ valueOf() { b.resize(0); return 1 } }) } catch {} try { u.set({ length: 50, get 0() { b.resize(80); return 1 } }) } catch {} return b.byteLength <= 80",
    expect: { value: true },
  },
  {
    name: "arrays that are changed under a native",
    code: "const a = Array(100).fill(1); a.sort(() => { a.length = 0; return 1 }); const c = [1, 2, 3]; c.reduce(() => { c.length = 0 }, 0); JSON.stringify([1, { toJSON() { a.push(...Array(1000)); return 1 } }]); return 1",
    expect: { value: 1 },
  },
  {
    name: "a finalizer that comes back",
    code: "const r = new FinalizationRegistry(() => { r.register({}, 1); globalThis.back = {} }); for (let i = 0; i < 1000; i++) r.register({}, i); await 0; return 1",
    expect: "cpu",
  },
  {
    name: "atob and btoa of what they can't take",
    code: "let n = 0; for (const f of [() => atob('*'), () => btoa('\\u2028'), () => atob({ toString() { throw 1 } }), () => btoa(Symbol())]) try { f() } catch { n++ } return n",
    expect: { value: 4 },
  },
]

describeAttempts("what crosses", crossing)
describeAttempts("extensions", extensions)
