/** The compiler's findings in words that the author of a script can act on: which tool was meant, and how it is called. */
import {
  type Checker,
  type Diagnostic as Finding,
  type Project,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync"
import { nearest } from "../../model/nearest.ts"
import { explainAbsent, IMPORTABLE } from "./absent.ts"
import { GLOBALS, SCRIPT } from "./ambient.ts"
import type { Diagnostic } from "./diagnostic.ts"
import { positionAt } from "./position.ts"
import type { ReadyScript } from "./prepare.ts"
import { describeTool } from "./signature-hint.ts"
import type { ToolUse } from "./syntax.ts"

const NO_PROPERTY = new Set([2339, 2551])
const NO_NAME = new Set([2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593])
const NO_EXPORT = new Set([2305, 2614, 2724])
/** More than are shown, fewer than would cost a reader anything. */
const MOST = 50
const LONGEST = 600
const NAMES_SHOWN = 12

/** Without a script only what the compiler had to read for it happens. */
export function diagnose({ program, checker }: Project, script: ReadyScript | undefined): Diagnostic[] {
  const found = [...program.getSyntacticDiagnostics(SCRIPT), ...program.getSemanticDiagnostics(SCRIPT)]
  if (!script || found.length === 0) return []
  const tools = toolsType(checker)
  return found
    .filter(finding => !isPedantry(finding) && !isFeatureTest(finding, script))
    .toSorted((a, b) => a.pos - b.pos)
    .slice(0, MOST)
    .map(finding => {
      const { message, hint } = explain(finding, script, checker, tools)
      const position = positionAt(script.checkSource, finding.pos)
      return { ...position, message, ...(hint && { hint }), code: `TS${finding.code}` }
    })
}

/** What only a script with types of its own could avoid: implicit `any`, and `{}` or `[]` that is filled later. */
const isPedantry = ({ code, text }: Finding): boolean => (code >= 7000 && code < 7100) || FILLED_LATER.test(text)
const FILLED_LATER = /does not exist on type '(?:\{\}|never)'|not assignable to (?:parameter of )?type 'never'/

/** `typeof process` asks whether it is there; that is no mistake. */
function isFeatureTest({ code, pos }: Finding, { checkSource }: ReadyScript): boolean {
  return NO_NAME.has(code) && /\btypeof\s+$/.test(checkSource.slice(Math.max(0, pos - 20), pos))
}

interface Explained {
  message: string
  hint?: string | undefined
}

function explain(finding: Finding, script: ReadyScript, checker: Checker, tools: Type | undefined): Explained {
  const name = script.checkSource.slice(finding.pos, finding.end)
  const message = textOf(finding)
  if (NO_NAME.has(finding.code)) return explainName(name, message, tools ? namesIn(checker, tools) : [])
  if (NO_EXPORT.has(finding.code))
    return {
      message: `"toolyard" has no export \`${name}\`.`,
      hint: `there are ${IMPORTABLE.join(", ")} and the types`,
    }
  const use = useAt(script.uses, finding.pos)
  if (!tools || !use) return { message, hint: relatedHint(finding) }

  const server = propertyType(checker, tools, use.server)
  if (!server) {
    if (!NO_PROPERTY.has(finding.code)) return { message }
    return explainMissing(`There is no server \`${use.server}\``, "Servers", use.server, namesIn(checker, tools))
  }
  const tool = use.tool === undefined ? undefined : propertyType(checker, server, use.tool)
  if (!tool && use.tool !== undefined && NO_PROPERTY.has(finding.code)) {
    const names = namesIn(checker, server)
    const explained = explainMissing(`\`tools.${use.server}\` has no tool \`${use.tool}\``, "Tools", use.tool, names)
    const meant = nearest(use.tool, names)
    const type = meant === undefined ? undefined : propertyType(checker, server, meant)
    return type ? { ...explained, hint: describeTool(checker, `tools.${use.server}.${meant}`, type) } : explained
  }
  const related = relatedHint(finding)
  if (!tool || related) return { message, hint: related }
  return { message, hint: describeTool(checker, `tools.${use.server}.${use.tool}`, tool) }
}

function explainName(name: string, message: string, servers: readonly string[]): Explained {
  const absent = explainAbsent(name)
  if (absent) return { message: absent }
  const plain = `Cannot find name '${name}'.`
  if (servers.includes(name)) return { message: plain, hint: `did you mean \`tools.${name}\`?` }
  const meant = nearest(name, IMPORTABLE)
  if (meant) return { message: plain, hint: `did you mean \`${meant}\`?` }
  // The compiler's own advice speaks of packages to install, which can't be done here.
  return { message: /Do you need to/.test(message) ? plain : message }
}

function explainMissing(what: string, kind: string, written: string, names: readonly string[]): Explained {
  const meant = nearest(written, names)
  const more = names.length > NAMES_SHOWN ? `, … (${names.length}; \`search\` finds more)` : ""
  const all = names.length > 0 ? `${kind}: ${names.slice(0, NAMES_SHOWN).join(", ")}${more}` : "There are none."
  return meant ? { message: `${what}: did you mean \`${meant}\`?`, hint: all } : { message: `${what}.`, hint: all }
}

/** "Did you forget to use 'await'?" and the like. */
function relatedHint({ relatedInformation }: Finding): string | undefined {
  return relatedInformation?.map(({ text }) => text).find(text => text.endsWith("?"))
}

function textOf(finding: Finding, depth = 0): string {
  const inner = finding.messageChain?.map(next => textOf(next, depth + 1)) ?? []
  const text = [`${"  ".repeat(depth)}${finding.text}`, ...inner].join("\n")
  return depth > 0 || text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

/** The smallest expression with a tool around the place. */
function useAt(uses: readonly ToolUse[], at: number): ToolUse | undefined {
  const around = uses.filter(({ start, end }) => start <= at && at < end)
  return around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]
}

function toolsType(checker: Checker): Type | undefined {
  const symbol = checker.resolveName("tools", SymbolFlags.Value, { document: GLOBALS, position: 0 })
  return symbol && checker.getTypeOfSymbol(symbol)
}

function propertyType(checker: Checker, type: Type, name: string): Type | undefined {
  const symbol = checker.getPropertyOfType(type, name)
  return symbol && checker.getTypeOfSymbol(symbol)
}

const namesIn = (checker: Checker, type: Type): string[] => checker.getPropertiesOfType(type).map(({ name }) => name)
