import { describe, expect, it } from "vitest"
import { cutPages, cutText } from "./cut.ts"

const prose = (words: string, times: number) => `${words}\n\n`.repeat(times)
const fence = (code: string) => `\`\`\`json\n${code}\n\`\`\`\n\n`

describe("a page that is too long", () => {
  it("B5 keeps its beginning, its end and all code in between, and says what was cut", () => {
    const text = `# Start\n\n${prose("talk talk", 3000)}${fence('{ "a": 1 }')}${prose("more talk", 3000)}    indented --code\n\n{\n  "plain": true\n}\n\nopenapi:\n  - yaml\n\n${prose("again", 3000)}The end.`
    const { text: short, cut } = cutText(text, 10_000)
    expect(short.length).toBeLessThanOrEqual(10_000)
    expect(short.startsWith("# Start\n\ntalk talk")).toBe(true)
    expect(short.endsWith("again\n\nThe end.")).toBe(true)
    for (const kept of [
      fence('{ "a": 1 }').trim(),
      "    indented --code",
      '{\n  "plain": true\n}',
      "openapi:\n  - yaml",
    ]) {
      expect(short).toContain(kept)
    }
    expect(cut).toMatch(new RegExp(`^\\d+ of ${text.length} characters were left out of the middle$`))
    expect(short).toContain(`[… ${cut}`)
  })

  it("B5 says how many code blocks there was no room for", () => {
    const text =
      prose("talk", 100) +
      Array.from({ length: 100 }, (_, n) => fence(`{ "n": ${n}, "x": "${"x".repeat(500)}" }`)).join("") +
      prose("end", 100)
    const { text: short, cut } = cutText(text, 20_000)
    expect(short.length).toBeLessThanOrEqual(20_000)
    expect(cut).toMatch(/, \d+ of its \d+ code blocks among them$/)
    expect(short.match(/```json/g)?.length).toBe(short.match(/```$/gm)?.length)
  })

  it("B5 is cut within a line when it has only one, and never within a character", () => {
    const { text } = cutText("😀".repeat(60_000), 10_001)
    expect(text.length).toBeLessThanOrEqual(10_001)
    expect(text.isWellFormed()).toBe(true)
  })

  it("is left alone when it fits exactly", () => {
    expect(cutText("x".repeat(100), 100)).toEqual({ text: "x".repeat(100) })
  })
})

describe("many pages", () => {
  it("B5 get 100,000 characters each and 200,000 in all, the short ones whole", () => {
    const sizes = [5_000, 300_000, 90_000, 400_000]
    const pages = sizes.map((size, index) => ({ url: `https://${index}.example/`, markdown: "word ".repeat(size / 5) }))
    const cut = cutPages(pages)
    const lengths = cut.map(({ markdown }) => markdown.length)
    expect(lengths[0]).toBe(5_000)
    expect(cut[0]).not.toHaveProperty("cut")
    expect(Math.max(...lengths)).toBeLessThanOrEqual(65_000)
    expect(Math.min(...lengths.slice(1))).toBeGreaterThan(55_000)
    expect(lengths.reduce((a, b) => a + b)).toBeLessThanOrEqual(200_000)
    expect(cutPages(pages.slice(1, 2))[0]?.markdown.length).toBeLessThanOrEqual(100_000)
  })
})
