/** The fixture's tools, under the names the scenarios call them by. */
import { setTimeout as pause } from "node:timers/promises"
import { askingTools, text } from "./fixture-asks.mjs"

/** The smallest PNG (one red pixel) and a WAV without a sample. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

export const image = { type: "image", data: PNG, mimeType: "image/png" }
export const embedded = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } })

async function withLogging(_args, ctx) {
  for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await ctx.mcpReq.log("info", line)
    await pause(20)
  }
  return text("Logged three lines.")
}

async function withProgress(_args, ctx) {
  const progressToken = ctx.mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      await ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100, message: `Completed ${progress} of 100` },
      })
    }
    await pause(20)
  }
  return text("Made progress.")
}

/** Where the transport can do so, ends the stream before the answer is there: the client has to come back for it. */
async function reconnection(_args, ctx) {
  ctx.http?.closeSSE?.()
  await pause(100)
  return text("The stream was closed, and the client came back.")
}

const trigger = what => (_args, _ctx, fixture) => {
  fixture.changed(what)
  return text(`Said that the list of ${what} changed.`)
}

const jsonSchemaTool = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: this is JSON Schema, nobody awaits it
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
}

/** The first one has to be callable without arguments: the header scenarios call whatever stands first. */
export const TOOLS = {
  test_simple_text: { call: () => text("This is a simple text response for testing.") },
  test_image_content: { call: () => ({ content: [image] }) },
  test_audio_content: { call: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    call: () => ({
      content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    }),
  },
  test_multiple_content_types: {
    call: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    call: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_tool_with_logging: { call: withLogging },
  test_logging_tool: { call: withLogging },
  test_tool_with_progress: { call: withProgress },
  test_reconnection: { call: reconnection },
  test_trigger_tool_change: { call: trigger("tools") },
  test_trigger_prompt_change: { call: trigger("prompts") },
  json_schema_2020_12_tool: { inputSchema: jsonSchemaTool, call: args => text(JSON.stringify(args)) },
  test_custom_header: {
    properties: { region: { type: "string", description: "Mirrored in a header", "x-mcp-header": "Region" } },
    call: args => text(`Region: ${args.region}`),
  },
  ...askingTools,
}

export const schemaOf = ({ inputSchema, properties = {} }) =>
  inputSchema ?? { type: "object", properties, required: Object.keys(properties) }
