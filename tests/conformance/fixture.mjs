/**
 * A server of our own that satisfies the official conformance suite in both protocol eras.
 *
 *   node fixture.mjs --http [--port N] [--era legacy|modern]    prints {"url": …}; without --era, both on one URL
 *   node fixture.mjs --stdio [--era legacy|modern]
 */
import { randomBytes } from "node:crypto"
import { parseArgs } from "node:util"
import { createRequestStateCodec } from "@modelcontextprotocol/server"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { announce, serveHttp } from "./fixture-http.mjs"
import { buildFixture } from "./fixture-server.mjs"

const { values } = parseArgs({
  options: {
    http: { type: "boolean" },
    stdio: { type: "boolean" },
    port: { type: "string", default: "0" },
    era: { type: "string" },
  },
})

const codec = createRequestStateCodec({ key: randomBytes(32) })

process.on("SIGTERM", () => process.exit(0))

if (values.http) {
  const url = await serveHttp({ era: values.era, port: Number(values.port), codec })
  console.log(JSON.stringify({ url }))
} else if (values.stdio) {
  process.stdin.on("close", () => process.exit(0))
  const build = era => buildFixture({ codec, era, changed: announce })
  // A server of 2025 knows nothing of eras: it is connected by hand, and has never heard of `server/discover`.
  if (values.era === "legacy") await build("legacy").connect(new StdioServerTransport())
  else serveStdio(({ era }) => build(era), { legacy: values.era === "modern" ? "reject" : "serve" })
} else {
  console.error("Say --http or --stdio.")
  process.exit(64)
}
