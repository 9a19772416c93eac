/**
 * What a Python file says that it imports. Every import statement begins a logical line, which is enough to find them
 * all; what only looks like one, in a text of several lines, names no file and does no harm.
 */

/** Dotted names; those that begin with dots are relative to the file's package. */
export function readPython(text: string): string[] {
  const found = new Set<string>()
  for (const [, from = "", names = ""] of text.matchAll(
    /(?:^|[;:])[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n\\;]|\\\n)*)/gm,
  )) {
    found.add(from)
    // What is imported from a package may be a module in it.
    for (const name of namesIn(names)) found.add(from.endsWith(".") ? `${from}${name}` : `${from}.${name}`)
  }
  for (const [, names = ""] of text.matchAll(/(?:^|[;:])[ \t]*import[ \t]+((?:[^\n\\;]|\\\n)*)/gm))
    for (const name of namesIn(names)) found.add(name)
  return [...found]
}

function namesIn(list: string): string[] {
  return list
    .replaceAll(/#.*$/gm, "")
    .replaceAll(/[()\\\n]/g, " ")
    .split(",")
    .map(part => part.trim().split(/\s+as\s+/)[0] as string)
    .filter(name => /^\w+(?:\.\w+)*$/.test(name))
}
