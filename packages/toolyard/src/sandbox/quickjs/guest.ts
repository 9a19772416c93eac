/**
 * The world a script wakes up in. This function is turned into text and evaluated inside the virtual machine before any
 * script is there: it may use nothing from outside itself. What it needs later it takes now, so that a script which
 * breaks `Promise` or `JSON` breaks only itself. Calls that wait are plain data (id → resolvers): a snapshot keeps them.
 */

/** The only door to the outside. */
type Send = (kind: string, id: number, payload: string) => string | undefined

interface Guest {
  run(script: (input: unknown) => unknown, input: string | undefined, seed: number): void
  answer(id: number, ok: boolean, json: string): void
  /** Called when nothing is left to do without an answer. */
  settle(): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
  /** Timers do not keep a script alive that has given its value. */
  isTimer: boolean
}

export function guest(send: Send): Guest {
  const { parse, stringify } = JSON
  const { defineProperty, freeze, getPrototypeOf } = Object
  const PlainError = Error
  const waiting = new Map<number, Waiting>()
  const [get, put, drop] = [waiting.get, waiting.set, waiting.delete].map(f => f.bind(waiting)) as unknown as [
    (id: number) => Waiting | undefined,
    (id: number, entry: Waiting) => void,
    (id: number) => void,
  ]
  let lastId = 0
  let calls = 0
  let isTold = false
  let ended: { ok: boolean; json: string | undefined } | undefined

  class ToolError extends Error {
    readonly server: string | undefined
    readonly tool: string | undefined
    readonly code: string
    readonly data: unknown
    constructor(message: string, about: { server?: string; tool?: string; code?: string; data?: unknown } = {}) {
      super(message)
      this.server = about.server
      this.tool = about.tool
      this.code = about.code ?? "tool_error"
      this.data = about.data
    }
    override get name(): string {
      return "ToolError"
    }
  }
  const toError = (json: string): Error => {
    const { message, ...about } = parse(json) as { message: string }
    return new ToolError(message, about)
  }

  const begin = (kind: string, payload: string, entry: Omit<Waiting, "isTimer">): number => {
    const id = ++lastId
    const isTimer = kind === "timer"
    const refusal = send(kind, id, payload)
    if (refusal !== undefined) {
      if (isTimer) throw toError(refusal)
      entry.reject(toError(refusal))
      return id
    }
    if (!isTimer) calls++
    put(id, { ...entry, isTimer })
    return id
  }
  const call = (kind: string, payload: unknown): Promise<unknown> => {
    // Taken now: when the answer comes, nothing of the script is on the stack.
    const { stack } = new PlainError()
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(defineProperty(error as object, "stack", { value: stack }))
      begin(kind, stringify(payload) ?? "null", { resolve, reject: fail })
    })
  }

  // ---- what a script can use ----
  const define = (name: string, value: unknown, on: object = globalThis): void => {
    defineProperty(on, name, { value, writable: true, configurable: true, enumerable: false })
  }

  const names = (kind: string, payload: unknown): string[] => parse(send(kind, 0, stringify(payload)) ?? "[]")
  /** Names are looked up when they are used: what a yard offers is not copied into every run. */
  const named = (make: (name: string) => unknown, list: () => string[]): object => {
    const known = Object.create(null) as Record<string, unknown>
    const trap: ProxyHandler<object> = {
      get: (_, key) => {
        if (typeof key !== "string" || key === "then" || key === "toJSON") return undefined
        known[key] ??= make(key)
        return known[key]
      },
      has: (_, key) => typeof key === "string" && list().includes(key),
      ownKeys: () => list(),
      getOwnPropertyDescriptor: (_, key) => ({
        value: trap.get?.(_, key, _),
        enumerable: true,
        configurable: true,
        writable: false,
      }),
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
    }
    return new Proxy({}, trap)
  }
  define(
    "tools",
    named(
      server =>
        named(
          tool => (params?: unknown) => call("tool", params === undefined ? [server, tool] : [server, tool, params]),
          () => names("names", server),
        ),
      () => names("names", null),
    ),
  )
  define("ToolError", ToolError)
  define("search", (query: unknown, options?: unknown) => call("search", { query, options }))
  define("results", freeze({ get: (id: unknown) => call("results", id) }))

  // ---- what the engine's own URLSearchParams takes for nothing: pairs and records ----
  const TextParams = URLSearchParams
  function Params(init?: unknown): URLSearchParams {
    if (typeof init !== "object" || init === null) return new TextParams(init === undefined ? "" : String(init))
    const made = new TextParams()
    const pairs = Symbol.iterator in init ? (init as Iterable<[unknown, unknown]>) : Object.entries(init)
    for (const [key, value] of pairs) made.append(String(key), String(value))
    return made
  }
  Params.prototype = TextParams.prototype
  define("constructor", Params, TextParams.prototype)
  define("name", "URLSearchParams", Params)
  define("URLSearchParams", Params)

  // ---- and what its URL lacks ----
  const paramsOf = new WeakMap<URL, { params: URLSearchParams; search: string }>()
  defineProperty(URL.prototype, "searchParams", {
    configurable: true,
    enumerable: true,
    get(this: URL) {
      const known = paramsOf.get(this)
      if (known?.search === this.search) return known.params
      const params = new TextParams(this.search)
      const entry = { params, search: this.search }
      paramsOf.set(this, entry)
      for (const name of ["append", "delete", "set", "sort"] as const) {
        const change = TextParams.prototype[name] as (...args: unknown[]) => void
        define(
          name,
          (...args: unknown[]) => {
            change.apply(params, args)
            this.search = String(params)
            entry.search = this.search
          },
          params,
        )
      }
      return params
    },
  })

  // ---- fetch ----
  class Response {
    readonly status: number
    readonly statusText: string
    readonly url: string
    readonly redirected: boolean
    readonly headers: unknown
    readonly ok: boolean
    bodyUsed = false
    readonly #body: { text?: string; base64?: string }
    constructor(raw: {
      status: number
      statusText: string
      url: string
      redirected: boolean
      headers: [string, string][]
      body: { text?: string; base64?: string }
    }) {
      this.status = raw.status
      this.statusText = raw.statusText
      this.url = raw.url
      this.redirected = raw.redirected
      this.headers = new Headers(raw.headers)
      this.ok = raw.status >= 200 && raw.status < 300
      this.#body = raw.body
    }
    #take(): { text?: string; base64?: string } {
      if (this.bodyUsed) throw new TypeError("the body was read already")
      this.bodyUsed = true
      return this.#body
    }
    async text(): Promise<string> {
      const { text, base64 = "" } = this.#take()
      return text ?? new TextDecoder().decode(toBytes(base64))
    }
    async json(): Promise<unknown> {
      return parse(await this.text())
    }
    async bytes(): Promise<Uint8Array> {
      const { text, base64 = "" } = this.#take()
      return text === undefined ? toBytes(base64) : new TextEncoder().encode(text)
    }
    async arrayBuffer(): Promise<ArrayBufferLike> {
      return (await this.bytes()).buffer
    }
  }
  const toBytes = (base64: string): Uint8Array => Uint8Array.from(atob(base64), character => character.charCodeAt(0))
  const toBody = (body: unknown): unknown => {
    if (body === undefined || body === null || typeof body === "string") return body ?? undefined
    if (body instanceof URLSearchParams) return String(body)
    const view = body instanceof ArrayBuffer ? new Uint8Array(body) : body
    if (view instanceof Uint8Array) {
      let text = ""
      for (const byte of view) text += String.fromCharCode(byte)
      return { base64: btoa(text) }
    }
    throw new TypeError("the body of a fetch must be a string, bytes or URLSearchParams")
  }
  define("fetch", async (target: unknown, init: { method?: string; headers?: unknown; body?: unknown } = {}) => {
    const headers = new Headers((init.headers ?? {}) as Record<string, string>)
    if (init.body instanceof URLSearchParams && !headers.has("content-type"))
      headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
    const request = { url: String(target), method: init.method, headers: [...headers], body: toBody(init.body) }
    return new Response((await call("fetch", request)) as ConstructorParameters<typeof Response>[0])
  })

  // ---- timers ----
  const timers = new Map<number, () => void>()
  const startTimer = (work: unknown, ms: unknown, again: boolean, args: unknown[]): number => {
    if (typeof work !== "function") throw new TypeError("a timer needs a function")
    let handle = 0
    const round = (): void => {
      const id = begin("timer", stringify(Math.max(0, Number(ms) || 0)), { resolve: fire, reject: fire })
      if (handle === 0) handle = id
      timers.set(handle, () => drop(id))
    }
    const fire = (): void => {
      if (!timers.has(handle)) return
      if (again) round()
      else timers.delete(handle)
      work(...args)
    }
    round()
    return handle
  }
  const stopTimer = (handle: unknown): void => {
    timers.get(handle as number)?.()
    timers.delete(handle as number)
  }
  define("setTimeout", (work: unknown, ms?: unknown, ...args: unknown[]) => startTimer(work, ms, false, args))
  define("setInterval", (work: unknown, ms?: unknown, ...args: unknown[]) => startTimer(work, ms, true, args))
  define("clearTimeout", stopTimer)
  define("clearInterval", stopTimer)
  define("setImmediate", (work: unknown, ...args: unknown[]) => startTimer(work, 0, false, args))
  define("clearImmediate", stopTimer)

  // ---- console ----
  const show = (value: unknown, depth: number, seen: unknown[]): string => {
    if (typeof value === "string") return depth === 0 && seen.length === 0 ? value : stringify(value)
    if (typeof value === "bigint") return `${value}n`
    if (typeof value === "function") return `[function ${value.name || "anonymous"}]`
    if (typeof value !== "object" || value === null) return String(value)
    if (value instanceof Error) return value.stack ? `${value}\n${value.stack.trimEnd()}` : String(value)
    if (value instanceof Date || value instanceof RegExp) return String(value)
    if (seen.includes(value)) return "[circular]"
    if (value instanceof Promise) return "[promise: did you forget await?]"
    if (depth > 6) return Array.isArray(value) ? "[…]" : "{…}"
    const inner = [...seen, value]
    const each = (item: unknown): string => show(item, depth + 1, inner)
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${Array.from(value as unknown[], each).join(", ")}]`
    if (value instanceof Map) return `Map { ${[...value].map(([k, v]) => `${each(k)} => ${each(v)}`).join(", ")} }`
    if (value instanceof Set) return `Set { ${[...value].map(each).join(", ")} }`
    const entries = Object.entries(value).map(
      ([key, item]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : stringify(key)}: ${each(item)}`,
    )
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`
  }
  const say = (level: string, values: unknown[]): void => {
    let line = ""
    for (let i = 0; i < values.length; i++) {
      if (i > 0) line += " "
      try {
        line += show(values[i], 0, [])
      } catch {
        line += "[cannot be shown]"
      }
    }
    send(level, -1, line)
  }
  const print =
    (level: string) =>
    (...values: unknown[]): void =>
      say(level, values)
  define("console", {
    log: print("log"),
    info: print("info"),
    debug: print("debug"),
    warn: print("warn"),
    error: print("error"),
    trace: print("debug"),
    dir: print("log"),
    table: print("log"),
    group: print("log"),
    groupEnd: () => {},
    time: () => {},
    timeEnd: () => {},
    timeLog: () => {},
    count: () => {},
    assert: (holds: unknown, ...values: unknown[]) => {
      if (!holds) say("error", ["Assertion failed", ...values])
    },
  })

  // ---- what JSON would lose without a word ----
  define(
    "toJSON",
    function (this: Map<unknown, unknown>) {
      const entries = [...this]
      return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries
    },
    Map.prototype,
  )
  define(
    "toJSON",
    function (this: Set<unknown>) {
      return [...this]
    },
    Set.prototype,
  )
  define(
    "toJSON",
    function (this: bigint) {
      return String(this)
    },
    BigInt.prototype,
  )
  define(
    "toJSON",
    function (this: RegExp) {
      return String(this)
    },
    RegExp.prototype,
  )
  define(
    "toJSON",
    function (this: Error & { code?: unknown; data?: unknown }) {
      return { name: this.name, message: this.message, code: this.code, data: this.data }
    },
    Error.prototype,
  )
  define(
    "toJSON",
    function (this: Uint8Array) {
      return Array.from(this)
    },
    getPrototypeOf(Uint8Array.prototype),
  )

  // ---- what a script can't have ----
  const refuse = (what: string) => {
    // Not an arrow, so that `new` gets the explanation too.
    return function refused(): never {
      throw new TypeError(`${what} is not there in the sandbox: a script can run only the code that was checked`)
    }
  }
  define("eval", refuse("eval"))
  const noFunction = refuse("the Function constructor")
  noFunction.prototype = Function.prototype
  define("Function", noFunction)
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}])
    define("constructor", noFunction, getPrototypeOf(sample))

  // A call site gives away the functions on the stack, `send` among them.
  define("prepareStackTrace", undefined, Error)

  const describe = (error: unknown): string => {
    const plain: Record<string, unknown> = {}
    try {
      if (error instanceof Error) {
        plain.name = String(error.name)
        plain.message = String(error.message)
        plain.stack = String(error.stack ?? "")
        if (error instanceof ToolError) plain.tool = [error.server, error.tool, error.code, error.data]
      } else plain.message = show(error, 0, [])
      return stringify(plain)
    } catch {
      return '{"message":"the script threw something that cannot be shown"}'
    }
  }

  return {
    run(script, input, seed) {
      // xorshift32: `Math.random` of the engine itself would start alike in every machine.
      let state = seed | 0 || 1
      const draw = (): number => {
        state ^= state << 13
        state ^= state >>> 17
        state ^= state << 5
        return state >>> 0
      }
      define("random", () => (draw() * 2097152 + (draw() >>> 11)) / 9007199254740992, Math)
      const given = input === undefined || input === "" ? undefined : parse(input)
      define("input", given)
      const work = async (): Promise<void> => {
        try {
          const value = await script(given)
          ended = { ok: true, json: stringify(value) }
        } catch (error) {
          ended = { ok: false, json: describe(error) }
        }
      }
      void work()
    },
    answer(id, ok, json) {
      const entry = get(id)
      if (!entry) return
      drop(id)
      if (!entry.isTimer) calls--
      if (ok) entry.resolve(json === "" ? undefined : parse(json))
      else entry.reject(toError(json))
    },
    settle() {
      if (isTold) return
      // Calls that nobody awaits are part of the run all the same.
      if (ended && calls === 0) {
        isTold = true
        send(ended.ok ? "value" : "error", 0, ended.json ?? "")
      }
      if (!ended && waiting.size === 0) {
        isTold = true
        send("stuck", 0, "")
      }
    },
  }
}
