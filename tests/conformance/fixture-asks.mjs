/** The fixture's tools that put questions to the client: one handler serves both eras, the SDK pushes for the older one. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server"

export const text = value => ({ content: [{ type: "text", text: value }] })

const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required })

const elicit = (message, properties, required) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: object(properties, required) },
})

const sample = (prompt, maxTokens = 100) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens },
})

const roots = () => ({ method: "roots/list", params: {} })

const isModern = ctx => ctx.mcpReq.envelope !== undefined

/** What the client can do: said with every request in the modern era, once per session in the older one. */
const capabilitiesOf = (ctx, server) =>
  (isModern(ctx) ? ctx.mcpReq.envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()) ?? {}

/** Asks until every answer is there, then gives the answers (as the client sent them) to `done`. */
function asking(inputRequests, done) {
  return (_args, ctx) => {
    const answers = ctx.mcpReq.inputResponses
    const missing = Object.keys(inputRequests).filter(key => inputResponse(answers, key).kind === "missing")
    return missing.length > 0
      ? inputRequired({ inputRequests: Object.fromEntries(missing.map(key => [key, inputRequests[key]])) })
      : done(answers)
  }
}

/** As `asking`, all at once and with signed state: an answer without the state of this very tool does not count. */
function askingWithState(tool, inputRequests, done) {
  return async (_args, ctx, { codec }) => {
    const answers = ctx.mcpReq.inputResponses
    const complete = Object.keys(inputRequests).every(key => inputResponse(answers, key).kind !== "missing")
    if (complete && ctx.mcpReq.requestState()?.tool === tool) return done(answers)
    return inputRequired({ inputRequests, requestState: await codec.mint({ tool }, ctx) })
  }
}

async function multiRound(_args, ctx, { codec }) {
  const state = ctx.mcpReq.requestState()
  const answers = ctx.mcpReq.inputResponses
  const ask = async (key, request, next) =>
    inputRequired({ inputRequests: { [key]: request }, requestState: await codec.mint(next, ctx) })
  if (state?.round === 2 && answers?.step2) {
    return text(`${state.name} likes ${answers.step2.content?.color}`)
  }
  if (state?.round === 1 && answers?.step1) {
    const color = elicit("Step 2: What is your favorite color?", { color: { type: "string" } })
    return ask("step2", color, { round: 2, name: answers.step1.content?.name })
  }
  return ask("step1", elicit("Step 1: What is your name?", { name: { type: "string" } }), { round: 1 })
}

/** Asks only what the client can answer. An older client behind a gateway may still refuse one of the two. */
async function byCapability(_args, ctx, { server }) {
  const can = capabilitiesOf(ctx, server)
  if (isModern(ctx)) {
    const inputRequests = {
      ...(can.elicitation && { name: elicit("What is your name?", { name: { type: "string" } }) }),
      ...(can.sampling && { greeting: sample("Generate a greeting") }),
    }
    const answered = Object.keys(inputRequests).every(key => ctx.mcpReq.inputResponses?.[key])
    return answered ? text("Every question was answered.") : inputRequired({ inputRequests })
  }
  const asked = await Promise.allSettled([
    ...(can.elicitation
      ? [ctx.mcpReq.elicitInput(elicit("What is your name?", { name: { type: "string" } }).params)]
      : []),
    ...(can.sampling ? [ctx.mcpReq.requestSampling(sample("Generate a greeting").params)] : []),
  ])
  return text(`${asked.filter(one => one.status === "fulfilled").length} of ${asked.length} questions were answered.`)
}

function needsSampling(args, ctx, tools) {
  if (!capabilitiesOf(ctx, tools.server).sampling) {
    if (isModern(ctx)) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "The client does not support sampling")
  }
  return asking({ sampled: sample("Say something") }, () => text("The client can sample."))(args, ctx)
}

const enumOptions = ["option1", "option2", "option3"]
const titled = names => names.map((title, i) => ({ const: `value${i + 1}`, title }))

const completed = key => answers =>
  text(`Elicitation completed: action=${answers[key].action}, content=${JSON.stringify(answers[key].content ?? {})}`)

export const askingTools = {
  test_sampling: {
    properties: { prompt: { type: "string", description: "The prompt to send" } },
    call: (args, ctx) =>
      asking({ answer: sample(String(args.prompt)) }, answers => text(`LLM response: ${answers.answer.content?.text}`))(
        args,
        ctx,
      ),
  },
  test_elicitation: {
    properties: { message: { type: "string", description: "The message to show" } },
    call: (args, ctx) => {
      const fields = {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }
      const done = answers => text(`User response: ${JSON.stringify(answers.user)}`)
      return asking({ user: elicit(String(args.message), fields) }, done)(args, ctx)
    },
  },
  test_elicitation_sep1034_defaults: {
    call: asking(
      {
        form: elicit(
          "Please review these values",
          {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
          [],
        ),
      },
      completed("form"),
    ),
  },
  test_elicitation_sep1330_enums: {
    call: asking(
      {
        form: elicit(
          "Please choose",
          {
            untitledSingle: { type: "string", enum: enumOptions },
            titledSingle: { type: "string", oneOf: titled(["First Option", "Second Option", "Third Option"]) },
            legacyEnum: {
              type: "string",
              enum: ["opt1", "opt2", "opt3"],
              enumNames: ["Option One", "Option Two", "Option Three"],
            },
            untitledMulti: { type: "array", items: { type: "string", enum: enumOptions } },
            titledMulti: {
              type: "array",
              items: { anyOf: titled(["First Choice", "Second Choice", "Third Choice"]) },
            },
          },
          [],
        ),
      },
      completed("form"),
    ),
  },
  test_streaming_elicitation: {
    call: asking({ confirm: elicit("Please confirm", { ok: { type: "boolean" } }) }, completed("confirm")),
  },
  test_missing_capability: { call: needsSampling },
  test_input_required_result_elicitation: {
    call: asking({ user_name: elicit("What is your name?", { name: { type: "string" } }) }, answers =>
      text(`Hello, ${answers.user_name.content?.name}!`),
    ),
  },
  test_input_required_result_sampling: {
    call: asking({ capital_question: sample("What is the capital of France?") }, answers =>
      text(String(answers.capital_question.content?.text)),
    ),
  },
  test_input_required_result_list_roots: {
    call: asking({ client_roots: roots() }, answers =>
      text(`Roots: ${answers.client_roots.roots.map(root => root.uri).join(", ")}`),
    ),
  },
  test_input_required_result_request_state: {
    call: askingWithState("request_state", { confirm: elicit("Please confirm", { ok: { type: "boolean" } }) }, () =>
      text("state-ok"),
    ),
  },
  test_input_required_result_tampered_state: {
    call: askingWithState("tampered_state", { confirm: elicit("Please confirm", { ok: { type: "boolean" } }) }, () =>
      text("state-ok"),
    ),
  },
  test_input_required_result_multiple_inputs: {
    call: askingWithState(
      "multiple_inputs",
      {
        user_name: elicit("What is your name?", { name: { type: "string" } }),
        greeting: sample("Generate a greeting", 50),
        client_roots: roots(),
      },
      answers => text(`${answers.greeting.content?.text} ${answers.user_name.content?.name}`),
    ),
  },
  test_input_required_result_multi_round: { call: multiRound },
  test_input_required_result_capabilities: { call: byCapability },
}

export const askForContext = asking(
  { user_context: elicit("What context should the prompt use?", { context: { type: "string" } }) },
  answers => ({
    messages: [{ role: "user", content: { type: "text", text: `Context: ${answers.user_context.content?.context}` } }],
  }),
)
