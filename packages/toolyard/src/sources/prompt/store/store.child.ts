/** For a test: writes the same server over and over, each time another, until it is killed. */
import { SLUG } from "../prompt.fixture.ts"
import { store } from "./store.ts"

const folder = process.argv[2] as string
for (let count = 0; ; count++) {
  await store(
    folder,
    {
      plan: { description: `number ${count}`, tools: [SLUG] },
      handlers: new Map([["slug", `// number ${count}\n`]]),
      whitelist: { prompt: [], pages: [] },
      report: { tools: [], warnings: [] },
      examples: {},
    },
    { prompt: "A shelf", pages: [], problem: () => {} },
  )
  process.stdout.write(`${count}\n`)
}
