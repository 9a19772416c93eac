/** Gives a yard what its image holds besides files: contents, and saved scripts. */
import { openScripts } from "../../code/scripts/scripts.ts"
import { isObject } from "../../model/json.ts"
import type { SavedScript } from "../../model/run.ts"
import type { State } from "../../state/types.ts"
import { invalid } from "./manifest.ts"
import type { Image } from "./read.ts"

export async function fillState({ manifest, read }: Image, state: State): Promise<void> {
  for (const blob of manifest.blobs) await state.blobs.put(await read(blob), { mediaType: blob.mediaType })
  const scripts = openScripts(state.store, () => {})
  for (const script of manifest.scripts) {
    const saved: unknown = JSON.parse((await read(script)).toString("utf8"))
    if (
      !isObject(saved) ||
      saved.name !== script.name ||
      typeof saved.code !== "string" ||
      !isObject(saved.inputSchema)
    )
      throw invalid(`the script ${JSON.stringify(script.name)} of the image is not one`)
    await scripts.save(saved as unknown as SavedScript)
  }
}
