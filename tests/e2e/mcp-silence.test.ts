/** Over a pipe the hub speaks only when it is spoken to: until then nobody knows which era the client is of. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { BIN, rawServer, stopAll, tempFolder } from "../fixtures/hub.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

it("V4 says nothing before the client has, although servers come up and their lists change", async () => {
  const file = join(tempFolder(), "toolyard.json")
  writeFileSync(file, JSON.stringify({ mcpServers: { raw: rawServer() } }))
  const hub = spawn(process.execPath, [BIN, "stdio", "--config", file, "--log-level", "info"])
  let [stdout, stderr] = ["", ""]
  hub.stdout.on("data", chunk => {
    stdout += chunk
  })
  hub.stderr.on("data", chunk => {
    stderr += chunk
  })
  const ended = new Promise(resolve => hub.once("exit", resolve))
  try {
    await until(
      () => stderr.includes("raw is up"),
      () => `the server to come up; so far: ${stderr}`,
    )
    hub.stdin.end()
    await ended
    expect(stdout).toBe("")
  } finally {
    hub.kill("SIGKILL")
  }
})
