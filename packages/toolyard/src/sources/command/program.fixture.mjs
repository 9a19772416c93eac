// A program for the tests of commands: what it does is its first argument.
import { spawn } from "node:child_process"

const [mode, text = ""] = process.argv.slice(2)
const stay = () => setInterval(() => {}, 1000)

switch (mode) {
  case "echo":
    console.log(text)
    break
  case "progress":
    for (const step of [1, 2, 3]) console.error(`step ${step}`)
    console.log("done")
    break
  case "slow":
    stay()
    break
  case "fail":
    console.error("it went wrong")
    process.exitCode = 3
    break
  case "fail-on-stdout":
    console.log("said on stdout")
    process.exitCode = 4
    break
  case "killed":
    process.kill(process.pid, "SIGKILL")
    stay()
    break
  case "json":
    console.log(JSON.stringify({ text }))
    break
  case "bytes":
    process.stdout.write(Buffer.from(text, "base64"))
    break
  case "stdin":
    process.stdin.pipe(process.stdout)
    break
  case "env":
    console.log(JSON.stringify({ env: process.env, cwd: process.cwd() }))
    break
  case "flood": {
    const more = () => {
      while (process.stdout.write(Buffer.alloc(1 << 20, "x")));
      process.stdout.once("drain", more)
    }
    more()
    break
  }
  case "stubborn":
    // Its pid and its grandchild's are told by progress; neither heeds TERM.
    process.on("SIGTERM", () => {})
    console.error(process.pid)
    spawn(
      process.execPath,
      ["-e", "process.on('SIGTERM',()=>{});console.error(process.pid);setInterval(()=>{},1000)"],
      {
        stdio: "inherit",
      },
    )
    stay()
    break
  case "leave-behind": {
    const child = spawn(process.execPath, ["-e", "setInterval(()=>{},1000)"], { stdio: "inherit" })
    child.unref()
    console.log(child.pid)
    process.exit()
  }
}
