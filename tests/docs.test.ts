/** Keeps the documents true: links, commands, options, configuration, routes and errors are those of the code. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { Command } from "commander"
import { afterAll, describe, expect, it } from "vitest"
import { parseDocument } from "../packages/toolyard/src/config/document.ts"
import { loadConfig } from "../packages/toolyard/src/config/load.ts"
import { CONFIG_FILE, ENTRIES, RULE, SECTIONS } from "../packages/toolyard/src/config/schema.ts"
import { ERRORS } from "../packages/toolyard/src/model/errors.ts"
import { isObject } from "../packages/toolyard/src/model/json.ts"
import { defineCommands } from "../packages/toolyard/src/surfaces/cli/commands.ts"
import type { Context } from "../packages/toolyard/src/surfaces/cli/deps.ts"

const ROOT = resolve(import.meta.dirname, "..")
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8")

const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...inDocs.filter(name => name.endsWith(".md")).map(name => join("docs", name).replaceAll("\\", "/")),
].map(file => ({ file, text: read(file) }))

interface Block {
  file: string
  language: string
  text: string
}

const blocks: Block[] = documents.flatMap(({ file, text }) =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", body = ""]) => ({
    file,
    language,
    text: body,
  })),
)
const prose = (text: string): string => text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "")

// Defining the commands runs none of them, so nothing of the context is ever looked at.
const program = new Command()
defineCommands(program, {} as Context, () => {})

describe("every document", () => {
  it("links only to what is there", () => {
    const broken = documents.flatMap(({ file, text }) =>
      [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = ""]) => target)
        .filter(target => !/^https?:/.test(target) && !resolves(file, target))
        .map(target => `${file}: ${target}`),
    )
    expect(broken).toEqual([])
  })

  it("closes every fence, so that no example escapes the other checks", () => {
    const open = documents.filter(({ text }) => (text.match(/^```/gm)?.length ?? 0) % 2 !== 0)
    expect(open.map(({ file }) => file)).toEqual([])
    const fences = documents.reduce((sum, { text }) => sum + (text.match(/^```/gm)?.length ?? 0), 0)
    expect(blocks).toHaveLength(fences / 2)
  })

  it("names no folder of the machine it was written on", () => {
    const found = documents.filter(({ text }) => /(?<![\w.])\/(?:work|root|home|tmp|Users)\b/.test(text))
    expect(found.map(({ file }) => file)).toEqual([])
  })
})

describe("shell examples", () => {
  const shell = blocks.filter(({ language }) => ["sh", "bash", "shell"].includes(language))

  it("use commands that exist, with options that they have", () => {
    const used = shell.flatMap(({ file, text }) =>
      text.split("\n").flatMap(line => usesOf(line).map(use => ({ file, ...use }))),
    )
    expect(used.length).toBeGreaterThan(30)
    const wrong = used.flatMap(({ file, name, options }) => {
      const command = program.commands.find(known => known.name() === name)
      if (!command) return [`${file}: toolyard ${name}`]
      const known = command.options.flatMap(({ long, short }) => [long, short])
      return options.filter(option => !known.includes(option)).map(option => `${file}: toolyard ${name} ${option}`)
    })
    expect(wrong).toEqual([])
  })

  it("use npm scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }
    const used = documents.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:`|^)npm (?:run )?([a-z][\w:]*)/gm)].map(([, script = ""]) => ({ file, script })),
    )
    const npmItself = ["install", "ci"]
    expect(used.filter(({ script }) => !Object.hasOwn(scripts, script) && !npmItself.includes(script))).toEqual([])
  })
})

describe("JSON examples", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-docs-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const json = blocks.filter(({ language }) => language === "json" || language === "jsonc")

  it("parse", () => {
    const wrong = json.flatMap(({ file, text }) => parseDocument(text).errors.map(error => ({ file, ...error })))
    expect(wrong).toEqual([])
  })

  it("load without a problem where they are configurations", async () => {
    const configs = json.filter(({ text }) => {
      const { value } = parseDocument(text)
      return isObject(value) && ("mcpServers" in value || "policy" in value)
    })
    expect(configs.length).toBeGreaterThan(10)
    for (const { file: source, text } of configs) {
      const file = join(folder, "toolyard.json")
      writeFileSync(file, text)
      const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => [name, "something"]))
      const { problems, servers } = await loadConfig({ file, env })
      expect(problems, source).toEqual([])
      expect(
        servers.filter(({ enabled }) => !enabled),
        source,
      ).toEqual([])
    }
  })
})

describe("docs/reference/cli.md", () => {
  const sections = new Map(
    read("docs/reference/cli.md")
      .split(/^## /m)
      .slice(1)
      .map(part => [part.slice(0, part.indexOf("\n")), part] as const),
  )

  it("has a section for every command and for nothing else", () => {
    const names = program.commands.map(command => command.name())
    expect([...sections.keys()]).toEqual(names)
  })

  it("has every option of every command", () => {
    const missing = program.commands.flatMap(command =>
      command.options
        .map(option => option.long ?? "")
        .filter(option => !new RegExp(`\`${option}[\`\\s]`).test(sections.get(command.name()) ?? ""))
        .map(option => `${command.name()} ${option}`),
    )
    expect(missing).toEqual([])
  })
})

describe("docs/reference/config.md", () => {
  it("has every key of the schema", () => {
    const text = read("docs/reference/config.md")
    const shapes = [CONFIG_FILE, RULE, SECTIONS.sandbox, ...Object.values(ENTRIES)].map(({ shape }) => shape)
    const keys = new Set(shapes.flatMap(shape => Object.keys(shape)))
    expect([...keys].filter(key => !text.includes(`\`${key}\``))).toEqual([])
    expect(Object.keys(ENTRIES).filter(type => !new RegExp(`\`"?${type}"?\``).test(text))).toEqual([])
  })
})

describe("docs/reference/http.md", () => {
  it("has every route of the app", () => {
    const text = read("docs/reference/http.md")
    const folder = "packages/toolyard/src/surfaces/http"
    const source = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter(file => /\.tsx?$/.test(file))
      .map(file => read(`${folder}/${file}`))
      .join("\n")
    const routes = [...source.matchAll(/app\.(?:get|post|put|delete)\("([^"]+)"/g)].map(([, path = ""]) =>
      path.replaceAll(/:(\w+)/g, "{$1}"),
    )
    expect(routes.length).toBeGreaterThan(10)
    expect(routes.filter(route => !["`", "?"].some(end => text.includes(`${route}${end}`)))).toEqual([])
  })
})

describe("docs/reference/errors.md", () => {
  it("holds the error table of the code, row for row", () => {
    const rows = read("docs/reference/errors.md")
      .split("\n")
      .filter(line => line.startsWith("| `"))
      .map(line =>
        line
          .slice(1, -1)
          .split("|")
          .map(cell => cell.trim()),
      )
    const expected = Object.entries(ERRORS).map(([code, { rpc, http, exit, retryable, onToolCall, hint }]) => [
      `\`${code}\``,
      ...[rpc, http, exit].map(String),
      retryable ? "yes" : "no",
      onToolCall,
      hint,
    ])
    expect(rows).toEqual(expected)
  })
})

describe("docs/decisions", () => {
  it("lists every decision in its index, under the page's own title", () => {
    const index = read("docs/decisions/README.md").replace(/ +/g, " ")
    const pages = documents.filter(({ file }) => /^docs\/decisions\/\d/.test(file))
    expect(pages.length).toBeGreaterThan(0)
    for (const { file, text } of pages) {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
      expect(index).toContain(`| [${number}](${file.slice("docs/decisions/".length)}) | ${title} |`)
    }
  })
})

function resolves(file: string, target: string): boolean {
  const [path = "", anchor] = target.split("#")
  const found = path === "" ? join(ROOT, file) : resolve(ROOT, dirname(file), path)
  if (relative(ROOT, found).startsWith("..") || !existsSync(found)) return false
  return anchor === undefined || anchorsOf(readFileSync(found, "utf8")).has(anchor)
}

/** The anchors that headings get on the web: lower case, spaces to hyphens, punctuation dropped. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading)
  return new Set(
    headings.map(heading =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    ),
  )
}

/** The commands of ours in one line of a shell, with their long options; what follows `--` is another program's. */
function usesOf(line: string): { name: string; options: string[] }[] {
  const calls = line.matchAll(/(?:^|[|&;]\s*|npx (?:--prefix \S+ )?)toolyard ([a-z]\S*)([^|&;]*)/g)
  return [...calls].map(([, name = "", rest = ""]) => {
    const own = ` ${rest}`.split(" -- ")[0] as string
    return { name, options: [...own.matchAll(/\s(--[a-z-]+)/g)].map(([, option = ""]) => option) }
  })
}
