import { describe, expect, it } from "vitest"
import { rawAddresses } from "./github.ts"

const first = (url: string) => rawAddresses(new URL(url))[0]?.href

describe("an address on GitHub", () => {
  it.each([
    ["https://github.com/HackerNews/API", "https://raw.githubusercontent.com/HackerNews/API/HEAD/README.md"],
    ["https://www.github.com/a/b.git/", "https://raw.githubusercontent.com/a/b/HEAD/README.md"],
    ["https://github.com/a/b?tab=readme-ov-file#use", "https://raw.githubusercontent.com/a/b/HEAD/README.md"],
    ["https://github.com/a/b/tree/v2/docs", "https://raw.githubusercontent.com/a/b/v2/docs/README.md"],
    ["https://github.com/a/b/blob/main/docs/api.md", "https://raw.githubusercontent.com/a/b/main/docs/api.md"],
  ])("B3 %s is read as raw text", (url, raw) => {
    expect(first(url)).toBe(raw)
  })

  it.each([
    "https://github.com/",
    "https://github.com/a",
    "https://github.com/a/..",
    "https://github.com/a/b/issues/1",
    "https://github.com.evil.example/a/b",
    "https://gist.github.com/a/b",
  ])("that is not a repository's is read as it is: %s", url => {
    expect(first(url)).toBeUndefined()
  })
})
