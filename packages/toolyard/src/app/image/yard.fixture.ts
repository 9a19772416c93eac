/** A project in a folder of its own, for tests. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { buildImage } from "./build.ts"

export type Project = ReturnType<typeof openProject>

export function openProject(files: Record<string, unknown> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-image-")))
  const root = join(base, "project")
  const write = (path: string, content: unknown, mode = 0o644): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content))
    chmodSync(file, mode)
    return file
  }
  mkdirSync(root)
  for (const [path, content] of Object.entries(files)) write(path, content)
  const image = join(base, "yard.image")
  return {
    base,
    root,
    /** Where `build` writes. */
    image,
    write,
    build: (options: { include?: string[]; output?: string } = {}) =>
      buildImage({
        cwd: root,
        file: join(root, "toolyard.json"),
        output: image,
        createdBy: "0.0.0",
        env: {},
        ...options,
      }),
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}
