/** For the tests of gathering: servers on loopback, and an internet whose every name leads inside. */
import { afterEach, beforeEach } from "vitest"
import { type FetchCase, openFetchCase } from "../../../sandbox/fetch/fetch-case.ts"
import type { Gathered } from "../model.ts"
import { type GatherDeps, gatherDocuments } from "./gather.ts"

export type ServedPage =
  | string
  | { type?: string; body?: string | Buffer; status?: number; headers?: Record<string, string> }

export interface ServedPages {
  host: string
  url: string
  /** What has been asked for. */
  paths(): (string | undefined)[]
}

export interface GatherCase {
  net(): FetchCase
  /** A server with these pages; a plain text is Markdown. */
  serve(pages: Record<string, ServedPage>): Promise<ServedPages>
  /** Every name is at loopback, so that nothing but a refusal keeps us from it. */
  gather(prompt: string, deps?: GatherDeps): Promise<Gathered>
}

export function useGatherCase(): GatherCase {
  let net: FetchCase
  beforeEach(() => {
    net = openFetchCase()
  })
  afterEach(() => net.close())
  return {
    net: () => net,
    async serve(pages) {
      const { port, seen } = await net.http((request, response) => {
        const page = pages[request.url ?? ""]
        if (page === undefined) return void response.writeHead(404).end()
        const known = typeof page === "string" ? { body: page } : page
        const { type = "text/markdown", body = "", status = 200, headers } = known
        response.writeHead(status, { "content-type": type, ...headers }).end(body)
      })
      return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, paths: () => seen.map(({ url }) => url) }
    },
    gather: (prompt, deps) => gatherDocuments(prompt, { resolve: async () => ["127.0.0.1"], ...deps }),
  }
}
