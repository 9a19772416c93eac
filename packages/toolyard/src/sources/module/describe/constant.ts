/** Values that stand in the source: the defaults of parameters. */
import {
  isArrayLiteralExpression,
  isAsExpression,
  isBindingElement,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast"
import type { Checker } from "typescript/unstable/sync"

/** The value as JSON has it; `undefined` when it is no constant, or none of JSON. */
export function constantOf(node: Node, checker: Checker): unknown {
  if (isParenthesizedExpression(node) || isAsExpression(node) || isSatisfiesExpression(node))
    return constantOf(node.expression, checker)
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (isNumericLiteral(node)) return finite(Number(node.text))
  if (node.kind === SyntaxKind.TrueKeyword) return true
  if (node.kind === SyntaxKind.FalseKeyword) return false
  if (node.kind === SyntaxKind.NullKeyword) return null
  if (isPrefixUnaryExpression(node) && isNumericLiteral(node.operand)) {
    const value = finite(Number(node.operand.text))
    if (node.operator === SyntaxKind.MinusToken) return value === undefined ? undefined : -value
    return node.operator === SyntaxKind.PlusToken ? value : undefined
  }
  if (isArrayLiteralExpression(node)) {
    const items = node.elements.map(item => constantOf(item, checker))
    return items.includes(undefined) ? undefined : items
  }
  if (isObjectLiteralExpression(node)) {
    const entries = node.properties.map(property => {
      const name = isPropertyAssignment(property) ? nameOf(property.name) : undefined
      const value = isPropertyAssignment(property) ? constantOf(property.initializer, checker) : undefined
      return [name, value] as const
    })
    const isWhole = entries.every(([name, value]) => name !== undefined && value !== undefined)
    return isWhole ? Object.fromEntries(entries) : undefined
  }
  // `MAX`, `Color.Red`: a name whose type is one value.
  const type =
    isIdentifier(node) || node.kind === SyntaxKind.PropertyAccessExpression
      ? checker.getTypeAtLocation(node)
      : undefined
  const isValue = type?.isStringLiteralType() || type?.isNumberLiteralType() || type?.isBooleanLiteralType()
  return isValue ? (type as { value: unknown }).value : undefined
}

/** What is left out of an object that is taken apart is filled in with these, by path. */
export interface BindingDefault {
  path: string[]
  /** `undefined` when it is not a constant. */
  value: unknown
}

export function bindingDefaults(pattern: Node, checker: Checker, path: string[] = []): BindingDefault[] {
  if (!isObjectBindingPattern(pattern)) return []
  return pattern.elements.flatMap(element => {
    const key = isBindingElement(element) ? (element.propertyName ?? element.name) : undefined
    const name = key && nameOf(key)
    if (!isBindingElement(element) || name === undefined || element.dotDotDotToken) return []
    const here = [...path, name]
    const own = element.initializer ? [{ path: here, value: constantOf(element.initializer, checker) }] : []
    return [...own, ...(element.name ? bindingDefaults(element.name, checker, here) : [])]
  })
}

function nameOf(node: Node): string | undefined {
  return isIdentifier(node) || isStringLiteral(node) || isNumericLiteral(node) ? node.text : undefined
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
