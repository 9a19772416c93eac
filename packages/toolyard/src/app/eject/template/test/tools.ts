import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { after, test } from "node:test"
import { connect } from "./client.ts"

const tools = JSON.parse(readFileSync(new URL("../tools.json", import.meta.url), "utf8"))
// Whatever gets through reaches nobody.
const client = await connect({ BASE_URL: "http://127.0.0.1:9" })
after(() => client.close())

test("offers the tools of tools.json, exactly as they are written there", async () => {
  assert.deepEqual((await client.request("tools/list")).tools, tools)
})

test("refuses a tool that it does not have", async () => {
  await assert.rejects(client.request("tools/call", { name: "no such tool", arguments: {} }), /no such tool/)
})

test("refuses arguments that do not fit", async () => {
  for (const { name, inputSchema } of tools) {
    if (!inputSchema.required?.length) continue
    const result = await client.request("tools/call", { name, arguments: {} })
    assert.equal(result.isError, true, name)
  }
})
