/** What is measured: each column is a script, written in a contestant's own way to call a tool. */

/** How a script of this contestant reaches the two tools. */
export interface Dialect {
  /** An expression for the promise of a call; `args` is an expression too. */
  call(tool: "echo" | "rows", args: string): string
  /** An expression for the value in an awaited answer: the text of `echo`, the parsed rows of `rows`. */
  value(tool: "echo" | "rows", answer: string): string
}

export interface Column {
  id: string
  title: string
  unit: "ms" | "/s"
  /** Runs under way at once. */
  width: number
  /**
   * `together`: one sample is the time until `width` runs that started together have all ended.
   * `stream`: `width` lanes run without a pause, and what counts is how many runs end in a second.
   */
  pace: "together" | "stream"
  write(dialect: Dialect): string
  /** A fast wrong answer is no answer. */
  isRight(value: unknown): boolean
}

export const COLUMNS: Column[] = [
  latency("trivial", "return 1", () => "return 1", 1),
  latency(
    "call1",
    "1 call",
    ({ call, value }) => `return ${value("echo", `(await ${call("echo", text("0"))})`)}`,
    "n0",
  ),
  latency("call10", "10 calls", sequence(10), "n9"),
  latency("call100", "100 calls", sequence(100), "n99"),
  latency("parallel100", "100 parallel", parallel(100), "100 n99"),
  latency("mb", "1 MB JSON", sumOfRows, 2_146_900),
  latency("cpu", "CPU-heavy", () => CPU_HEAVY, 75_025 + 8_383),
  { ...latency("rate32", "return 1 @32", () => "return 1", 1), unit: "/s", width: 32, pace: "stream" },
  { ...latency("burst50", "50 × 5 calls", sequence(5), "n4"), width: 50 },
]

function latency(id: string, title: string, write: Column["write"], right: unknown): Column {
  return { id, title, unit: "ms", width: 1, pace: "together", write, isRight: value => value === right }
}

// Every script is JavaScript that a strict type check accepts: some contestants strip no types, one checks them.

function text(number: string): string {
  return `{ text: "n" + ${number} }`
}

function sequence(calls: number): Column["write"] {
  return ({ call, value }) => `let last
for (let i = 0; i < ${calls}; i++) last = ${value("echo", `(await ${call("echo", text("i"))})`)}
return last`
}

function parallel(calls: number): Column["write"] {
  return ({ call, value }) => `const all = await Promise.all(
  Array.from({ length: ${calls} }, (_, i) => ${call("echo", text("i"))}),
)
return all.length + " " + ${value("echo", `all[${calls - 1}]`)}`
}

/** The tool gives a megabyte; the script looks at every row and returns one number. */
function sumOfRows({ call, value }: Dialect): string {
  return `const rows = ${value("rows", `(await ${call("rows", "{}")})`)}
let sum = 0
for (const row of rows) if (row.active) sum += row.price ?? 0
return sum`
}

const CPU_HEAVY = `function fib(n = 0) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2)
}
let seed = 1
const numbers = Array.from({ length: 20000 }, () => {
  seed = (seed * 16807) % 2147483647
  return seed
})
numbers.sort((a, b) => a - b)
return fib(25) + numbers[0]`
