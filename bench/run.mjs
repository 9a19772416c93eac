// Lists the benches, or starts one: `npm run bench gateway -- --quick`. The peers they measure against are installed
// on first use, here and not in the workspace, so that nobody needs them who only wants to build and test.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const benches = readdirSync(here).filter(name => entryOf(name) !== undefined)
const [name, ...args] = process.argv.slice(2)

if (name === undefined || !benches.includes(name)) {
  if (name !== undefined) console.error(`There is no bench called "${name}".`)
  console.log(`Benches: ${benches.join(", ")}\nStart one with: npm run bench NAME -- [options]`)
  process.exit(name === undefined ? 0 : 64)
}

if (!peersAreInstalled()) {
  console.log("Installing the peers to measure against …")
  // Their install scripts are not needed, and may fetch more than packages. Not `npm ci`: it refuses where a registry
  // lacks the packages of other platforms, which are optional.
  run("npm", ["install", "--prefix", here, "--ignore-scripts", "--no-save", "--no-audit", "--no-fund"], {
    shell: process.platform === "win32",
  })
}
run(process.execPath, [entryOf(name), ...args])

function entryOf(name) {
  return ["main.ts", "run.mjs"].map(file => join(here, name, file)).find(file => existsSync(file))
}

function peersAreInstalled() {
  const { dependencies } = readJson(join(here, "package.json"))
  return Object.entries(dependencies).every(([peer, version]) => {
    const file = join(here, "node_modules", peer, "package.json")
    return existsSync(file) && readJson(file).version === version
  })
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"))
}

function run(command, args, options = {}) {
  // The child gets Ctrl-C from the terminal too; this process must outlive it so that it can clean up.
  const ignore = () => {}
  process.on("SIGINT", ignore)
  const { status, error } = spawnSync(command, args, { stdio: "inherit", ...options })
  process.off("SIGINT", ignore)
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
