/** Calls tools with the arguments of samples.json, and compares what they give. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { after, test } from "node:test"
import { connect } from "./client.ts"

interface Sample {
  method: string
  params: Record<string, unknown>
  result: unknown
}

const samples = JSON.parse(readFileSync(new URL("./samples.json", import.meta.url), "utf8")) as Sample[]
const client = await connect()
after(() => client.close())

for (const { method, params, result } of samples) {
  test(`${method} ${params.name ?? params.uri ?? ""} gives what it should`, async () => {
    assert.deepEqual(await client.request(method, params), result)
  })
}
