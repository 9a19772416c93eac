/** What a description really has, counted from the document itself: the operations and the names of their inputs. */
import { parse } from "yaml"

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value)

export function rawOperations(text) {
  const root = /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: -1, uniqueKeys: false })
  const found = []
  for (const [path, item] of Object.entries(root.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!METHODS.includes(method) || !isObject(operation)) continue
      const inputs = new Set()
      for (const given of [item.parameters, operation.parameters].flatMap(list => list ?? [])) {
        const parameter = deref(root, given)
        if (parameter.in === "body") collectFields(root, parameter.schema, inputs, true)
        else inputs.add(parameter.name)
      }
      for (const [type, media] of Object.entries(deref(root, operation.requestBody)?.content ?? {})) {
        // What is written as text or bytes has no fields in the arguments.
        if (/json|form/.test(type)) collectFields(root, media.schema, inputs, true)
      }
      found.push({ method: method.toUpperCase(), path, id: operation.operationId, inputs: [...inputs] })
    }
  }
  return found
}

/** Every name that a tool's schema offers, three objects deep: converters differ in where they put the body. */
export function offeredNames(schema, names = new Set(), depth = 0, seen = new Set(), root = schema) {
  const target = deref(root, schema)
  if (!isObject(target) || depth > 3 || seen.has(target)) return names
  seen.add(target)
  for (const [name, property] of Object.entries(target.properties ?? {})) {
    names.add(plain(name))
    offeredNames(property, names, depth + 1, seen, root)
  }
  for (const key of ["allOf", "oneOf", "anyOf"]) {
    for (const part of target[key] ?? []) offeredNames(part, names, depth, seen, root)
  }
  offeredNames(target.items, names, depth, seen, root)
  return names
}

/** Converters change names in many ways; letters and digits stay. */
export function plain(name) {
  return String(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
}

function collectFields(root, schema, into, isRoot, seen = new Set()) {
  const target = deref(root, schema)
  if (!isObject(target) || seen.has(target)) return
  seen.add(target)
  for (const [name, property] of Object.entries(target.properties ?? {})) {
    if (property.readOnly !== true && deref(root, property)?.readOnly !== true) into.add(name)
  }
  for (const key of ["allOf", "oneOf", "anyOf"]) {
    for (const part of target[key] ?? []) collectFields(root, part, into, isRoot, seen)
  }
  if (isObject(target.items)) collectFields(root, target.items, into, false, seen)
}

function deref(root, value) {
  let current = value
  for (let hops = 0; isObject(current) && typeof current.$ref === "string" && hops < 100; hops++) {
    let next = root
    for (const key of current.$ref.slice(2).split("/")) {
      next = next?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")]
    }
    current = next
  }
  return current
}
