/**
 * An agent in one file: asks the model, runs the tools that the model wants, and goes on until there is an answer.
 *
 *   ANTHROPIC_API_KEY=… node agent.ts "Reserve two lamps, if there are so many"
 */
import Anthropic from "@anthropic-ai/sdk"
import { anthropicTools, openYard } from "toolyard"

const question = process.argv[2] ?? "How many lamps are in stock?"
const model = process.env.MODEL ?? "claude-sonnet-4-5"
/** Nobody wants to pay for an agent that never comes to an end. */
const MAX_TURNS = 20

// The key and, for another address, ANTHROPIC_BASE_URL are found in the environment.
const client = new Anthropic()
await using yard = await openYard({
  config: `${import.meta.dirname}/toolyard.json`,
  client: "agent-loop",
  onWarning: message => console.error(message),
})
const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }]

for (let turn = 0; turn < MAX_TURNS; turn++) {
  // Anew each turn: tools of servers that came up meanwhile stand at the end.
  const tools = anthropicTools(yard)
  const reply = await client.messages.create({ model, max_tokens: 4096, messages, tools })
  messages.push({ role: "assistant", content: reply.content })
  for (const block of reply.content) if (block.type === "text") console.log(block.text)
  if (reply.stop_reason !== "tool_use") break

  const wanted = reply.content.filter(block => block.type === "tool_use")
  for (const { name, input } of wanted) console.error(`→ ${name} ${JSON.stringify(input)}`)
  // A tool that fails, or a server that is down, is a result too: the model reads why and acts on it.
  messages.push({ role: "user", content: await Promise.all(wanted.map(use => tools.handle(use))) })
}
