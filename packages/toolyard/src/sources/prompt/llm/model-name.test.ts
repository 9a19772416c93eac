import { describe, expect, it } from "vitest"
import { parseModelName } from "./model-name.ts"
import { openModel } from "./open-model.ts"

describe("the name of a model", () => {
  it("B1 is provider/model, or the model alone when the provider is given", () => {
    expect(parseModelName("anthropic/claude-x")).toEqual({ provider: "anthropic", model: "claude-x" })
    expect(parseModelName("openai-compatible/meta/llama")).toEqual({
      provider: "openai-compatible",
      model: "meta/llama",
    })
    expect(parseModelName("meta/llama", "openai-compatible")).toEqual({
      provider: "openai-compatible",
      model: "meta/llama",
    })
    expect(parseModelName("openai/gpt-5", "openai")).toEqual({ provider: "openai", model: "gpt-5" })
    expect(parseModelName("gpt-5", "openai")).toEqual({ provider: "openai", model: "gpt-5" })
  })

  it.each([
    ["no provider", { model: "claude-x" }, /has no provider/],
    ["an unknown provider", { model: "acme/x" }, /"acme" is not a provider/],
    ["an unknown provider beside it", { model: "x", provider: "toString" }, /"toString" is not a provider/],
    ["no model", { model: "openai/" }, /no model is named/],
    ["no key", { model: "anthropic/x" }, /there is no key for anthropic/],
    ["a key with a line break", { model: "openai/x", apiKey: "a\nb" }, /characters that no key has/],
    ["no address", { model: "openai-compatible/x" }, /needs the address/],
    ["a bad address", { model: "openai/x", apiKey: "k", baseUrl: "localhost:8080" }, /is not an http or https address/],
    ["an address with a password", { model: "openai/x", apiKey: "k", baseUrl: "http://a:hidden@b/" }, /^(?!.*hidden)/],
  ])("B1 is refused at once with %s", (_, options, message) => {
    const open = () => openModel({ env: { OPENAI_API_KEY: "" }, ...options })
    expect(open).toThrow(expect.objectContaining({ code: "usage", message: expect.stringMatching(message) }))
  })

  it("B1 finds its key in the environment; one of your own server needs none", () => {
    expect(openModel({ model: "anthropic/x", env: { ANTHROPIC_API_KEY: "k" } }).name).toBe("anthropic/x")
    expect(openModel({ model: "openai-compatible/x", baseUrl: "http://127.0.0.1:1", env: {} }).name).toBe(
      "openai-compatible/x",
    )
  })
})
