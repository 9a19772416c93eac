/** `toolyard search QUERY` */
import { withClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { harmless, indent } from "../text.ts"

export interface SearchOptions {
  limit: number
  server?: string
  config?: string
  json?: boolean
}

export async function search(context: Context, options: SearchOptions, words: string[]): Promise<undefined> {
  const { io } = context
  const { server, limit } = options
  const about = server === undefined ? {} : { server }
  const results = await withClient(context, { ...options, about }, async client => {
    await client.settle(server)
    return client.search(words.join(" "), { limit, ...about })
  })
  if (options.json) io.out(JSON.stringify({ results }))
  else if (results.length === 0) io.err("Nothing fits. `toolyard tools` lists everything there is.")
  else
    for (const { id, signature } of results)
      io.out(`${io.paint.bold(id)}\n${io.paint.dim(indent(harmless(signature)))}`)
}
