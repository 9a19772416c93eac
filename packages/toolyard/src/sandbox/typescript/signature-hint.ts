/** How a tool is called, on one line, by its type. */
import { type Checker, SignatureKind, SymbolFlags, type Type } from "typescript/unstable/sync"

const LONGEST = 600
/** Until here a result's type is written out; beyond, its name must do. */
const LONGEST_RESULT = 200

export function describeTool(checker: Checker, path: string, tool: Type): string | undefined {
  const [signature] = checker.getSignaturesOfType(tool, SignatureKind.Call)
  if (!signature) return undefined
  const parameters = signature.getParameters().map(parameter => {
    const type = checker.getTypeOfSymbol(parameter)
    const mark = type && checker.typeToString(tool).includes(`${parameter.name}?:`) ? "?" : ""
    return `${parameter.name}${mark}: ${type ? expand(checker, type) : "any"}`
  })
  const result = checker.getReturnTypeOfSignature(signature)
  const returns = result ? checker.typeToString(result) : "Promise<any>"
  const text = `${path}(${parameters.join(", ")}): ${returns.length > LONGEST_RESULT ? "Promise<…>" : returns}`
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** A named type says nothing to who has not seen it: its properties do. */
function expand(checker: Checker, type: Type): string {
  const defined = checker.getNonNullableType(type) ?? type
  const properties = defined.isObjectType() ? checker.getPropertiesOfType(defined) : []
  if (properties.length === 0 || checker.isArrayType(defined)) return checker.typeToString(defined)
  const parts = properties.map(property => {
    const inner = checker.getTypeOfSymbol(property)
    const isOptional = (property.flags & SymbolFlags.Optional) !== 0
    const shown = inner && isOptional ? (checker.getNonNullableType(inner) ?? inner) : inner
    return `${property.name}${isOptional ? "?" : ""}: ${shown ? checker.typeToString(shown) : "any"}`
  })
  return `{ ${parts.join("; ")} }`
}
