#!/usr/bin/env node
// Kept to syntax that any Node can read, so that an old one gets a sentence instead of a stack trace.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`toolyard needs Node 22.19 or later; this is ${process.versions.node} (${process.execPath}).`)
  console.error("Install a current Node from https://nodejs.org, or run it with `npx -p node@24 toolyard …`.")
  process.exit(1)
}
// The compiled code is kept between starts, which halves the time to the first line.
const { enableCompileCache } = await import("node:module")
enableCompileCache()
await import("../dist/main.js")
