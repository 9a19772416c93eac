import { describe, expect, it } from "vitest"
import { openState } from "../../state/open.ts"
import { openScripts } from "./scripts.ts"

async function open() {
  const { store } = await openState(undefined, problem => expect.unreachable(problem))
  const changes: number[] = []
  return { scripts: openScripts(store, () => changes.push(1)), store, changes }
}
const script = (name: string, code: string) => ({ name, code, inputSchema: { type: "object" } })

describe("N7 saved scripts", () => {
  it("count their versions from 1, and give the newest by name and any by number", async () => {
    const { scripts, changes } = await open()
    expect(await scripts.save(script("a", "1"))).toMatchObject({ name: "a", version: 1 })
    expect(await scripts.save(script("a", "2"))).toMatchObject({ version: 2 })
    expect(await scripts.get("a")).toMatchObject({ version: 2, code: "2" })
    expect(await scripts.get("a@1")).toMatchObject({ version: 1, code: "1" })
    expect(await scripts.list()).toMatchObject([{ name: "a", version: 2 }])
    expect(changes).toHaveLength(2)
  })

  it("get no new version for the same code, but one for another description", async () => {
    const { scripts } = await open()
    await scripts.save(script("a", "1"))
    expect(await scripts.save(script("a", "1"))).toMatchObject({ version: 1 })
    expect(await scripts.save({ ...script("a", "1"), description: "does it" })).toMatchObject({ version: 2 })
  })

  it("are numbered on when the oldest of many are let go", async () => {
    const { scripts } = await open()
    for (let n = 1; n <= 60; n++) await scripts.save(script("a", String(n)))
    expect(await scripts.get("a")).toMatchObject({ version: 60 })
    expect(await scripts.get("a@11")).toMatchObject({ code: "11" })
    await expect(scripts.get("a@10")).rejects.toMatchObject({ code: "unknown_script" })
  })

  it("lose none of two that are saved at once", async () => {
    const { scripts } = await open()
    await Promise.all(["x", "y", "z"].map(code => scripts.save(script("a", code))))
    const codes = await Promise.all([1, 2, 3].map(async version => (await scripts.get(`a@${version}`)).code))
    expect(codes.toSorted()).toEqual(["x", "y", "z"])
  })

  it.each(["", "@1", "nothing", "a@", "a@x", "a@0", "a@1@2", "A"])("are not there as %j", async name => {
    const { scripts } = await open()
    await scripts.save(script("a", "1"))
    await expect(scripts.get(name)).rejects.toMatchObject({ code: "unknown_script" })
  })

  it.each(["", "1a", "a b", "a.b", "a/b", "_a", "ä", "a".repeat(42)])("can't be called %j", async name => {
    const { scripts } = await open()
    await expect(scripts.save(script(name, "1"))).rejects.toMatchObject({ code: "invalid_arguments" })
    expect(await scripts.list()).toEqual([])
  })

  it("are gone with all their versions when they are removed, which is an error the second time", async () => {
    const { scripts, changes } = await open()
    await scripts.save(script("a", "1"))
    await scripts.remove("a")
    expect(await scripts.list()).toEqual([])
    expect(changes).toHaveLength(2)
    await expect(scripts.remove("a")).rejects.toMatchObject({ code: "unknown_script" })
  })
})
