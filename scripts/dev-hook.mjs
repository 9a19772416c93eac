// Lets Node read .tsx, so that the hub runs from its sources: `node --import ./scripts/dev-hook.mjs …`.
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"
import { transformSync } from "oxc-transform"

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context)
    const file = fileURLToPath(url)
    const jsx = { runtime: "automatic", importSource: "hono/jsx" }
    const { code, errors } = transformSync(file, readFileSync(file, "utf8"), { jsx })
    if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
    return { format: "module", source: code, shortCircuit: true }
  },
})
