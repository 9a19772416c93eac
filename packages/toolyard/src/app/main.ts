import { createLog } from "./log.ts"
import { serve } from "./serve.ts"

const args = process.argv.slice(2)
const get = (name: string): string | undefined => {
  const i = args.indexOf(name)
  return i === -1 ? undefined : args[i + 1]
}
const config = get("--config")
const hub = await serve({
  host: "127.0.0.1",
  port: Number(get("--port") ?? 7331),
  auth: !args.includes("--no-auth"),
  log: await createLog("info"),
  ...(config !== undefined && { config }),
})
console.log(JSON.stringify({ url: hub.url, token: hub.token }))
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void hub.close().then(() => process.exit(0)))
