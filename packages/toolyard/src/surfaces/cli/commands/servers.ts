/** `toolyard servers` */
import { withClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { serverRows } from "../server-rows.ts"
import { columns } from "../text.ts"

export async function servers(context: Context, options: { config?: string; json?: boolean }): Promise<undefined> {
  const { io } = context
  const found = await withClient(context, options, async client => {
    await client.settle()
    return client.servers()
  })
  if (options.json) io.out(JSON.stringify({ servers: found }))
  else if (found.length === 0) io.err("There are no servers yet. `toolyard add NAME -- COMMAND` adds one.")
  else for (const line of columns(serverRows(found, io.paint), io.width)) io.out(line)
}
