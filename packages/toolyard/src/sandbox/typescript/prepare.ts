/**
 * Turns a script (a TypeScript module that may also `return`) into JavaScript for the sandbox: an expression that is
 * an async function of `input` and gives the script's value. Bad code gives problems, never an exception.
 */
import { type OxcError, parseSync } from "oxc-parser"
import { transformSync } from "oxc-transform"
import { explainAbsent, explainImport } from "./absent.ts"
import type { Diagnostic } from "./diagnostic.ts"
import { applyEdits, type Edit } from "./edits.ts"
import { describeInput, type InputFacts } from "./input-facts.ts"
import { type Modules, readModules } from "./modules.ts"
import { mapPosition, type Position, positionAt } from "./position.ts"
import { isTooLarge, TOO_DEEP, TOO_LARGE } from "./size.ts"
import { isNode, type Node, readSyntax, type Syntax, type ToolUse } from "./syntax.ts"

/** Plain data: it can be kept, and sent to other threads. */
export interface ReadyScript {
  readonly ok: true
  /** As written, without a byte order mark. */
  readonly code: string
  readonly js: string
  /** From `js`, without its first line, to `code`: the `mappings` of a source map. */
  readonly mappings: string
  /** Where the last expression was made the value, which moved what follows on its line. */
  readonly moved: Position | undefined
  /** The servers that the script names; absent when it may reach others, too (`tools[name]`). */
  readonly servers: string[] | undefined
  readonly uses: ToolUse[]
  /** What the compiler checks: the script with every statement at its place. */
  readonly checkSource: string
  readonly input: InputFacts
}
export interface RefusedScript {
  readonly ok: false
  readonly code: string
  readonly problems: Diagnostic[]
}
export type PreparedScript = ReadyScript | RefusedScript

/** How the parser puts it that a `return` is in no function: in a script that is allowed. */
const RETURN_OUTSIDE = "A 'return' statement can only be used within a function body."
const PARSE = { lang: "ts", sourceType: "module" } as const
const RETURN = "return ("
/** What may follow the last expression without taking its place as the script's value. */
const NO_VALUE = new Set([
  "EmptyStatement",
  "FunctionDeclaration",
  "ImportDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
])

export function prepareScript(text: string): PreparedScript {
  const code = text.startsWith("\uFEFF") ? text.slice(1) : text
  const refuse = (message: string): RefusedScript => {
    return { ok: false, code, problems: [{ line: 1, column: 1, message, code: "syntax" }] }
  }
  if (isTooLarge(code)) return refuse(TOO_LARGE)
  try {
    return prepare(code)
  } catch (error) {
    // Walking over the tree takes more of the stack than making it.
    if (error instanceof RangeError) return refuse(TOO_DEEP)
    throw error
  }
}

function prepare(code: string): PreparedScript {
  const refused = (problems: Diagnostic[]): RefusedScript => ({ ok: false, code, problems })

  const parsed = parseSync("script.ts", code, { ...PARSE, showSemanticErrors: true })
  const fatal = parsed.errors.filter(error => error.message !== RETURN_OUTSIDE)
  if (fatal.length > 0) return refused(fatal.map(error => toProblem(code, error)))

  const program = parsed.program as unknown as Node
  const body = program.body as Node[]
  const modules = readModules(code, body)
  const syntax = readSyntax(program, modules.toolNames)
  const misplaced = misplacedReturns(parsed.errors, syntax)
  const problems = [...misplaced.map(error => toProblem(code, error)), ...refusals(code, modules, syntax)]
  if (problems.length > 0) return refused(problems.toSorted((a, b) => a.line - b.line || a.column - b.column))

  const last = modules.default ? undefined : lastExpression(body)
  const edits = [...modules.edits, ...hashBang(code), ...(last ? asValue(last) : [])]
  const made = transformSync("script.ts", applyEdits(code, edits), { ...PARSE, sourcemap: true })
  const failed = made.errors.filter(error => error.message !== RETURN_OUTSIDE)
  if (failed.length > 0) return refused(failed.map(error => toProblem(code, error)))

  const input = describeInput(code, body, parsed.comments, modules.default?.node)
  return {
    ok: true,
    code,
    js: wrap(made.code, modules),
    mappings: made.map?.mappings ?? "",
    moved: last && positionAt(code, last.start),
    servers: serversOf(modules, syntax),
    uses: syntax.uses,
    checkSource: toCheckSource(code, syntax, input),
    input,
  }
}

/** Where in the script a place in its `js` is. */
export function originalPosition({ mappings, moved }: ReadyScript, at: Position): Position | undefined {
  const found = at.line < 2 ? undefined : mapPosition(mappings, { line: at.line - 1, column: at.column })
  if (!found || found.line !== moved?.line || found.column <= moved.column) return found
  return { line: found.line, column: Math.max(moved.column, found.column - RETURN.length) }
}

/** The script's own block keeps what it declares apart from `input` and the bindings, which it may declare again. */
function wrap(body: string, { bindings, default: value }: Modules): string {
  const outer = bindings.length > 0 ? `const ${bindings.join(", ")}; ` : ""
  let last = ""
  if (value) {
    const { expression, isCallable } = value
    // `arguments[0]`: the script can't have another meaning for it.
    const called = `typeof ${expression} === "function" ? ${expression}(arguments[0]) : ${expression}`
    last = `return ${isCallable ? called : expression}\n`
  }
  return `(async function (input) { "use strict"; ${outer}{\n${body}\n${last}}})`
}

function lastExpression(body: readonly Node[]): Node | undefined {
  const last = body.findLast(node => !NO_VALUE.has(isNode(node.declaration) ? node.declaration.type : node.type))
  return last?.type === "ExpressionStatement" ? (last.expression as Node) : undefined
}

const asValue = ({ start, end }: Node): Edit[] => [
  { start, end: start, text: RETURN },
  { start: end, end, text: ")" },
]

const hashBang = (code: string): Edit[] => (code.startsWith("#!") ? [{ start: 0, end: 2, text: "//" }] : [])

function serversOf({ isWhole }: Modules, { isDynamic, uses, references }: Syntax): string[] | undefined {
  if (isWhole || isDynamic || references.some(({ name }) => name === "globalThis")) return undefined
  return [...new Set(uses.map(({ server }) => server))]
}

/**
 * A `return` outside a function is an error to the compiler, and what it returns stays unchecked; `throw` means the
 * same to it (the script ends here, with this) and takes the same room.
 */
function toCheckSource(code: string, { returns, declared }: Syntax, input: InputFacts): string {
  const edits = returns.map(({ start, argument }): Edit => {
    return { start, end: start + "return".length, text: argument ? "throw " : "throw 0" }
  })
  const own = input.hasType && !declared.has("input") ? "\ndeclare const input: Input" : ""
  return applyEdits(code, edits) + own
}

/** Those in namespaces and the like: allowed by nobody. */
function misplacedReturns(errors: readonly OxcError[], { returns }: Syntax): OxcError[] {
  const allowed = new Set(returns.map(({ start }) => start))
  return errors.filter(({ message, labels }) => message === RETURN_OUTSIDE && !allowed.has(labels[0]?.start ?? -1))
}

function refusals(code: string, modules: Modules, syntax: Syntax): Diagnostic[] {
  const at = (start: number, kind: string, message: string): Diagnostic => {
    return { ...positionAt(code, start), message, code: kind }
  }
  const found = modules.problems.map(({ start, message }) => at(start, "import", message))
  for (const node of syntax.unsupported) {
    const source = isNode(node.source) && typeof node.source.value === "string" ? node.source.value : "…"
    if (node.type === "ImportExpression") found.push(at(node.start, "import", explainImport(source)))
    else if (node.type === "Decorator") found.push(at(node.start, "syntax", "Decorators can't run in the sandbox."))
    else if (node.type === "AccessorProperty")
      found.push(at(node.start, "syntax", "`accessor` fields can't run in the sandbox: write `get` and `set`."))
    else found.push(at(node.start, "import", "`import.meta` is not there in the sandbox: a script has no address."))
  }
  for (const { name, start, as } of syntax.references) {
    // `Function` is a value like any other until it is called.
    const isAbsent = as !== "typeof" && (name !== "Function" || as === "call") && !syntax.declared.has(name)
    const message = isAbsent ? explainAbsent(name) : undefined
    if (message) found.push(at(start, "absent", message))
  }
  return found
}

/** The two packages have a type each for the same error. */
type ParseError = Pick<OxcError, "message" | "labels" | "helpMessage">

function toProblem(code: string, { message, labels, helpMessage }: ParseError): Diagnostic {
  const position = positionAt(code, labels[0]?.start ?? 0)
  return { ...position, message, ...(helpMessage && { hint: helpMessage }), code: "syntax" }
}
