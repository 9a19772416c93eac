// Makes a fresh clone ready, then runs what follows on its command line: `node scripts/setup.mjs vitest run`.
// Runs on any Node ≥ 20: it is what puts the pinned Node 24 in place. Installing is skipped while the lock-file is the
// one that was installed last; building is skipped while no source is newer than the build.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const modules = join(root, "node_modules")
const stamp = join(modules, ".toolyard-setup")
const isWindows = process.platform === "win32"
const env = { ...process.env, PATH: `${join(modules, ".bin")}${delimiter}${process.env.PATH}` }

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: ["ignore", 2, 2], shell: isWindows })
  if (error || status !== 0) {
    console.error(`\nsetup: \`${command} ${args.join(" ")}\` failed${error ? `: ${error.message}` : ""}`)
    process.exit(status || 1)
  }
}

function install() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(process.platform + process.arch)
    .digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  console.error("setup: installing dependencies (once)")
  // Not `npm ci`: it refuses where a registry lacks the packages of other platforms, which are optional.
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund"])
  mkdirSync(modules, { recursive: true })
  writeFileSync(stamp, wanted)
}

function newest(folder) {
  let time = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs)
  }
  return time
}

function build() {
  const output = join(root, "packages/toolyard/dist/main.js")
  const sources = Math.max(
    newest(join(root, "packages/toolyard/src")),
    statSync(join(root, "scripts/build.mjs")).mtimeMs,
  )
  if (existsSync(output) && statSync(output).mtimeMs >= sources) return
  run("node", [join(root, "scripts/build.mjs")])
}

install()
build()

const [command, ...args] = process.argv.slice(2)
if (command) {
  const child = spawn(command, args, { cwd: root, env, stdio: "inherit", shell: isWindows })
  child.on("error", error => {
    console.error(`setup: ${command} could not be started: ${error.message}`)
    process.exit(127)
  })
  // A terminal sends Ctrl-C to the child as well; what is sent to us alone is passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)))
}
