import { expect, it } from "vitest"
import { textFor } from "./pattern-text.ts"

it.each([
  "^AC[0-9a-fA-F]{32}$",
  "^sha256:[a-f0-9]{64}$",
  "^([0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?)$",
  "^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) ",
  "^refs/(heads|tags|pull)/.*$",
  "\\d{3}-\\d{2,4}",
  "^[^@\\s]+@[a-z.]+\\.com$",
  "^$",
  "a+b*c?",
])("gives a text that fits %s", pattern => {
  expect(textFor(pattern)).toMatch(new RegExp(pattern, "u"))
})

it.each(["(?=a)b", "(a)\\1", "[", "a{100000}", "(?<!a)b"])("gives none for %s", pattern => {
  expect(textFor(pattern)).toBeUndefined()
})
