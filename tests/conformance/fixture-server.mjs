/** The fixture itself: everything the conformance suite wants a server to offer, under the names its scenarios use. */
import { McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server"
import { askForContext } from "./fixture-asks.mjs"
import { embedded, image, PNG, schemaOf, TOOLS } from "./fixture-tools.mjs"

const LISTED = Object.entries(TOOLS).map(([name, tool]) => ({
  name,
  description: `Conformance fixture: ${name}`,
  inputSchema: schemaOf(tool),
}))

const user = content => ({ role: "user", content })
const say = value => user({ type: "text", text: value })

const PROMPTS = {
  test_simple_prompt: { get: () => ({ messages: [say("This is a simple prompt for testing.")] }) },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"],
    get: args => ({ messages: [say(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)] }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ["resourceUri"],
    get: args => ({
      messages: [
        user(embedded(String(args.resourceUri), "text/plain", "Embedded resource content for testing.")),
        say("Please process the embedded resource above."),
      ],
    }),
  },
  test_prompt_with_image: { get: () => ({ messages: [user(image), say("Please analyze the image above.")] }) },
  test_input_required_result_prompt: { get: askForContext },
}

const RESOURCES = [
  {
    uri: "test://static-text",
    name: "Static text",
    description: "A text that never changes",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  {
    uri: "test://static-binary",
    name: "Static binary",
    description: "An image of one pixel",
    mimeType: "image/png",
    blob: PNG,
  },
  {
    uri: "test://watched-resource",
    name: "Watched resource",
    description: "Can be subscribed to",
    mimeType: "text/plain",
    text: "Watched resource content.",
  },
]

function read(uri) {
  const found = RESOURCES.find(resource => resource.uri === uri)
  if (found) {
    const { name: _name, description: _description, ...contents } = found
    return { contents: [contents] }
  }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new ResourceNotFoundError(uri)
  const value = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { contents: [{ uri, mimeType: "application/json", text: value }] }
}

function known(table, name, kind) {
  if (Object.hasOwn(table, name)) return table[name]
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind}: ${name}`)
}

/** Lets the SDK check `Mcp-Param-*` headers although the tools are declared in plain JSON Schema. */
class FixtureServer extends McpServer {
  toolInputSchemaJson(name) {
    return Object.hasOwn(TOOLS, name) ? schemaOf(TOOLS[name]) : undefined
  }
}

/** One server instance. `changed(what)` is told when a tool says that the list of `tools` or `prompts` changed. */
export function buildFixture({ codec, changed, era }) {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true },
    completions: {},
    logging: {},
  }
  const product = new FixtureServer(
    { name: "toolyard-conformance-fixture", version: "1.0.0" },
    { capabilities, requestState: { verify: codec.verify } },
  )
  const { server } = product
  const fixture = { server, codec, changed: what => changed(what, server) }

  server.setRequestHandler("tools/list", () => ({ tools: LISTED }))
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    known(TOOLS, params.name, "tool").call(params.arguments ?? {}, ctx, fixture),
  )
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: `Conformance fixture: ${name}`,
      arguments: (prompt.arguments ?? []).map(argument => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler("prompts/get", ({ params }, ctx) =>
    known(PROMPTS, params.name, "prompt").get(params.arguments ?? {}, ctx),
  )
  server.setRequestHandler("resources/list", () => ({
    resources: RESOURCES.map(({ text: _text, blob: _blob, ...resource }) => resource),
  }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        uriTemplate: "test://template/{id}/data",
        name: "Template",
        description: "Data by id",
        mimeType: "application/json",
      },
    ],
  }))
  server.setRequestHandler("resources/read", ({ params }) => read(params.uri))
  server.setRequestHandler("completion/complete", ({ params }) => {
    const values = ["paris", "park", "party", "testValue1"].filter(value => value.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
  if (era === "legacy") {
    server.setRequestHandler("resources/subscribe", () => ({}))
    server.setRequestHandler("resources/unsubscribe", () => ({}))
  }
  return product
}
