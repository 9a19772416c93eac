/** What the documentation shows as the answer of an endpoint: the JSON (or XML) that stands next after what names it. */
import { mentions } from "../endpoint.ts"
import type { DocumentPage } from "../model.ts"
import { isErrorValue } from "../run/error-value.ts"

interface Block {
  start: number
  end: number
  value: unknown
  /** What stands before it suggests that it is sent, not received. */
  isSent: boolean
}

const NEAR = 6000
/** A page may speak of it as often as it likes. */
const MAX_PLACES = 50
/** Longer blocks are taken as they are: to tidy takes its time. */
const MAX_TIDIED = 10_000
const FENCED = /^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1/gm
const INDENTED = /(?:^(?: {4}|\t)[^\n]*\n(?:[ \t]*\n)*)+/gm

/** Read once, and asked for every request of every case. */
export interface Documentation {
  answerTo(url: string, method?: string): unknown
}

export function readDocumentation(pages: readonly DocumentPage[]): Documentation {
  const read = pages.map(({ markdown }) => ({ markdown, blocks: answersIn(`${markdown}\n`) }))
  const known = new Map<string, unknown>()
  const find = (url: string, sends: boolean): unknown => {
    for (const { markdown, blocks } of read) {
      const outside = mentions(markdown, url).filter(({ start }) => !blocks.some(block => isWithin(block, start)))
      const candidates = outside.slice(0, MAX_PLACES).flatMap(({ end }) => {
        const limit = Math.min(end + NEAR, sectionEnd(markdown, end))
        const block = blocks.find(({ start, isSent }) => start >= end && start < limit && !(sends && isSent))
        return block ? [{ block, distance: block.start - end }] : []
      })
      const [best] = candidates.toSorted((a, b) => a.distance - b.distance)
      if (best) return best.block.value
    }
    return undefined
  }
  return {
    answerTo(url, method = "GET") {
      const sends = /^(?:post|put|patch)$/i.test(method)
      const key = `${sends} ${url}`
      if (!known.has(key)) known.set(key, find(url, sends))
      return known.get(key)
    },
  }
}

function isWithin({ start, end }: Block, at: number): boolean {
  return at >= start && at < end
}

/** Where the next section of the same level begins: what stands there belongs to something else. */
function sectionEnd(markdown: string, at: number): number {
  let level = 0
  for (const { index, 1: marks = "" } of markdown.matchAll(/^(#{1,6})(?=[^#])/gm)) {
    if (index < at) level = marks.length
    else if (level > 0 && marks.length <= level) return index
  }
  return markdown.length
}

/** The blocks of code that are data, in order. */
function answersIn(markdown: string): Block[] {
  const found: Block[] = []
  const add = (start: number, whole: string, text: string): void => {
    const value = parse(text)
    const end = start + whole.length
    // What a failure looks like is tried in other ways.
    if (value === undefined || isErrorValue(value) || found.some(block => isWithin(block, start))) return
    found.push({ start, end, value, isSent: isSent(markdown, start) })
  }
  for (const { index, 0: whole, 2: text = "" } of markdown.matchAll(FENCED)) add(index, whole, text)
  for (const { index, 0: whole } of markdown.matchAll(INDENTED)) add(index, whole, whole.replace(/^(?: {4}|\t)/gm, ""))
  return found.toSorted((a, b) => a.start - b.start)
}

/** The last word on it, between this block and the one before. */
function isSent(markdown: string, start: number): boolean {
  const before =
    markdown
      .slice(Math.max(0, start - 400), start)
      .split(/^(?:```|~~~)/m)
      .at(-1) ?? ""
  const last = (words: RegExp): number => [...before.matchAll(words)].at(-1)?.index ?? -1
  return (
    last(/\b(?:request|payload|body|--data|send|sent)\b/gi) >
    last(/\b(?:respon[ds]\w*|returns?|answers?|success|20[01])\b/gi)
  )
}

/** XML as text; JSON as it stands, or without the comments, dots and commas with which documentation abridges. */
function parse(text: string): unknown {
  const trimmed = text
    .trim()
    .replace(/^HTTP\/[^\n]*\n(?:[\w-]+:[^\n]*\n)*\s*/, "")
    .replace(/^(?:\/\/|#)[^\n]*\n/, "")
    .trim()
  if (trimmed.startsWith("<?xml")) return trimmed
  if (!/^[[{]/.test(trimmed)) return undefined
  const tidied = trimmed
    .slice(0, MAX_TIDIED)
    .replace(/(^|[\s,{[])\/\/[^\n]*/g, "$1")
    .replace(/,?\s*(?:\.\.\.|…)(?=\s*[,\]}])/g, "")
    .replace(/,(\s*[\]}])/g, "$1")
  for (const candidate of [trimmed, tidied]) {
    try {
      return JSON.parse(candidate)
    } catch {}
  }
  return undefined
}
