/** For the tests of what is generated: a small API with its documentation, its plan, and handlers good and bad. */
import type { DocumentPage, PlannedTool } from "./model.ts"

export const ITEM_PAGE: DocumentPage = {
  url: "https://docs.shelf.example/api",
  title: "Shelf API",
  markdown: `# Shelf API

All requests go to https://api.shelf.example. Answers are JSON.

## An item

\`GET /v1/items/{id}\` gives one item, with its parts when \`expand\` is \`parts\`:

\`\`\`json
{ "id": 7, "title": "Lamp", "tags": ["light", "desk"], }
\`\`\`

## Add an item

\`POST /v1/items\`. The request body:

\`\`\`json
{ "title": "Lamp" }
\`\`\`

Response:

\`\`\`json
{ "id": 8, "title": "Lamp" }
\`\`\`
`,
}

export const GET_ITEM: PlannedTool = {
  name: "get_item",
  description: "One item of the shelf.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, expand: { type: "string", enum: ["parts"] } },
    required: ["id"],
  },
  outputSchema: { type: "object", properties: { title: { type: "string" }, tags: { type: "array" } } },
  needsNetwork: true,
  endpoint: { method: "GET", url: "https://api.shelf.example/v1/items/{id}?expand={expand}" },
}

export const ADD_ITEM: PlannedTool = {
  name: "add_item",
  description: "Adds an item.",
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  needsNetwork: true,
  endpoint: { method: "POST", url: "https://api.shelf.example/v1/items" },
}

export const SLUG: PlannedTool = {
  name: "slug",
  description: "A title as it stands in an address.",
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  needsNetwork: false,
}

/** As a model is asked to write them: bodies. */
export const BODIES = {
  get_item: `const query = args.expand === undefined ? "" : "?" + new URLSearchParams({ expand: args.expand })
const response = await fetch("https://api.shelf.example/v1/items/" + encodeURIComponent(args.id) + query)
const text = await response.text()
if (!response.ok) throw new Error("the shelf answered " + response.status + ": " + text.slice(0, 200))
let item: any
try { item = JSON.parse(text) } catch { throw new Error("the shelf did not answer with JSON: " + text.slice(0, 200)) }
return { title: item.title, tags: item.tags.map((tag: string) => tag.toUpperCase()) }`,
  add_item: `const response = await fetch("https://api.shelf.example/v1/items", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ title: args.title }),
})
if (!response.ok) throw new Error("the shelf answered " + response.status + ": " + (await response.text()))
return await response.json()`,
  slug: `return { slug: args.title.toLowerCase().replace(/[^a-z0-9]+/g, "-") }`,
}
