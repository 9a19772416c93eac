/** What a source offers, without a yard around it: it is opened, asked and closed. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { YardError } from "../../model/errors.ts"
import type { Offer, Source, SourceContext } from "../../model/source.ts"
import { startWatchdog, type Watchdog } from "../../sources/upstream/watchdog.ts"
import type { EjectInput } from "./ejection.ts"

export async function openOffer(
  { root, server }: Pick<EjectInput, "root" | "server">,
  open: (watchdog: Watchdog) => Source,
): Promise<Offer> {
  const watchdog = startWatchdog()
  const source = open(watchdog)
  try {
    await source.open(toContext(root))
    const offer = source.list()
    if (offer) return offer
    const { state, reason } = source.health()
    throw new YardError("server_down", `${server.name} is ${state}: ${reason ?? "it offers nothing"}`, {
      hint: "It must work here before it can be ejected; `toolyard doctor` says more.",
    })
  } finally {
    await source.close()
    watchdog.close()
  }
}

/** With what the yard has kept, but nothing of it can be called. */
export function toContext(root: string): SourceContext {
  const folder = join(root, ".toolyard")
  const none = (): Promise<never> =>
    Promise.reject(new YardError("usage", "nothing is called while a server is ejected"))
  return {
    yard: {
      root,
      call: none,
      putBlob: none,
      async blob(cid) {
        if (!existsSync(folder)) return undefined
        const { openFileBlobs } = await import("../../state/blobs-files.ts")
        return openFileBlobs(folder, () => {}).get(cid)
      },
      ...(existsSync(folder) && { cacheFolder: join(folder, "cache") }),
    },
    log() {},
    start: Promise.resolve(),
    cache: { get: () => undefined, set() {} },
  }
}
