/** Variables of the environment in texts, as `${NAME}` or `${NAME:-default}`; `$${` stands for plain braces. */
export function expand(text: string): string {
  return text.replace(/\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name?: string, fallback?: string) => {
    if (name === undefined) return whole.slice(1)
    const value = process.env[name] || fallback
    if (value === undefined) throw new Error(`the environment variable ${name} is not set`)
    return value
  })
}

/** The same in every text of a value. */
export function expandAll<T>(value: T): T {
  if (typeof value === "string") return expand(value) as T
  if (Array.isArray(value)) return value.map(expandAll) as T
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expandAll(inner)])) as T
}

/** Takes the values of the variables that stand in these texts out of whatever is shown. */
export function createRedact(texts: readonly string[]): (shown: string) => string {
  const names = texts.flatMap(text =>
    [...text.matchAll(/(?<!\$)\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name as string),
  )
  return shown =>
    names.reduce((shown, name) => {
      const value = process.env[name] ?? ""
      // Shorter ones would be found in words that have nothing to do with them.
      return value.length > 3 ? shown.replaceAll(value, `[${name}]`) : shown
    }, shown)
}
