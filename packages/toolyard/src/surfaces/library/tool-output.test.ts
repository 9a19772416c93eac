import { describe, expect, it } from "vitest"
import { YardError } from "../../model/errors.ts"
import { createMemoryBlobs } from "../../state/blobs-memory.ts"
import { failedOutput, textOf, toOutput } from "./tool-output.ts"

const say = (...texts: string[]) => ({ content: texts.map(text => ({ type: "text", text })) })

describe("what a model is given of a result", () => {
  it("C5 joins text blocks and gives resources as JSON", () => {
    const resource = { type: "resource", resource: { uri: "test://one", text: "inside" } }
    expect(textOf({ content: [...say("first", "second").content, resource] })).toBe(
      `first\nsecond\n${JSON.stringify(resource)}`,
    )
  })

  it("C5 says (no output) where there is none, and never gives an empty text", () => {
    expect(textOf({ content: [] })).toBe("(no output)")
    expect(textOf({})).toBe("(no output)")
    expect(textOf(say(" \n"))).toBe("(no output)")
    expect(textOf({ content: [], structuredContent: { sum: 3 } })).toBe('{"sum":3}')
  })

  it("C5 keeps isError, and the result as it came", async () => {
    const result = { ...say("the disk is full"), isError: true }
    const output = await toOutput(result, { blobs: createMemoryBlobs() })
    expect(output).toEqual({ text: "the disk is full", images: [], isError: true, result })
  })

  it("gives pictures as pictures and names them in the text", async () => {
    const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }
    const output = await toOutput({ content: [...say("look").content, image] }, { blobs: createMemoryBlobs() })
    expect(output.text).toBe("look\n[image: image/png, 9 bytes]")
    expect(output.images).toEqual([{ mimeType: "image/png", data: image.data }])
  })

  it("C5 shortens a text that no model can take, and keeps the whole where the text says", async () => {
    const blobs = createMemoryBlobs()
    const whole = Array.from({ length: 40_000 }, (_, n) => `line ${n}`).join("\n")
    const { text } = await toOutput(say(whole), { blobs, maxTokens: 1_000 })
    expect(text.length).toBeLessThan(10_000)
    const cid = /kept at cid:\/\/(\w+)\]$/.exec(text)?.[1]
    const blob = await blobs.get(cid as string)
    expect(JSON.parse(new TextDecoder().decode(blob?.bytes))).toBe(whole)
  })

  it("C5 leads to the whole result, not to what the catalog had left of it", async () => {
    const left = { ...say("x ".repeat(50_000)), _meta: { "toolyard/overflow": { uri: "cid://whole", size: 9e6 } } }
    const { text } = await toOutput(left, { blobs: createMemoryBlobs(), maxTokens: 1_000 })
    expect(text).toMatch(/\(9000000 bytes\) is kept at cid:\/\/whole\]$/)
  })

  it("C4 says what toolyard refuses in words that say what to do", () => {
    const { text, isError } = failedOutput(new YardError("server_down", "notes is down: it ended"))
    expect(isError).toBe(true)
    expect(text).toBe("notes is down: it ended\nIt is being restarted; try again shortly, or run `toolyard doctor`.")
  })
})
