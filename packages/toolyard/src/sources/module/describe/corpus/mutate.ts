/** Values near one that is right: what a caller gets wrong. */

const OTHERS = [null, "x", 1, true, [], {}, { extra: 1 }]

/** All values that differ from this one in one place. */
export function mutationsOf(value: unknown): unknown[] {
  return [...OTHERS, ...(Array.isArray(value) ? ofArray(value) : isRecord(value) ? ofRecord(value) : [])]
}

function ofArray(value: unknown[]): unknown[] {
  const inner = value.flatMap((item, i) => mutationsOf(item).map(other => value.with(i, other)))
  const [first] = value
  return [
    [],
    value.slice(1),
    value.slice(0, -1),
    [...value, null],
    [...value, first ?? 1],
    [...value].reverse(),
    ...inner,
  ]
}

function ofRecord(value: Record<string, unknown>): unknown[] {
  const keys = Object.keys(value)
  const inner = keys.flatMap(key => mutationsOf(value[key]).map(other => ({ ...value, [key]: other })))
  const without = keys.map(key => Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)))
  return [...without, { ...value, extra: 1 }, { ...value, extra: null }, { ...value, x: 1, name: "a" }, ...inner]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
