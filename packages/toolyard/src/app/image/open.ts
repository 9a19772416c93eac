/** An image as the command line uses it: verified, ready to be unpacked and served. */
import type { OpenedImage } from "../../surfaces/cli/deps.ts"
import { fillState } from "./fill-state.ts"
import { readImage } from "./read.ts"
import { imagesFolder, unpackImage } from "./unpack.ts"

export async function openImage(from: string | Uint8Array, id?: string): Promise<OpenedImage> {
  const image = await readImage(from, id === undefined ? {} : { id })
  return {
    id: image.id,
    size: image.size,
    manifest: image.manifest,
    unpack: () => unpackImage(image, imagesFolder()),
    fill: state => fillState(image, state),
    close: () => image.close(),
  }
}
