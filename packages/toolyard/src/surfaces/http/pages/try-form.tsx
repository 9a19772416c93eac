/** The connection test: a form that the pages' script turns into a real exchange with the server's own address. */
import type { CatalogTool } from "../../../catalog/member.ts"
import { exampleArguments } from "./example.ts"
import { cut, toOneLine, toReadableJson } from "./text.ts"

/** A larger one is left to whoever fills in the form. */
const LONGEST_EXAMPLE = 1500

export interface TryFormProps {
  path: string
  tools: CatalogTool[]
  chosen: CatalogTool | undefined
  /** How many the server has. */
  all: number
}

export function TryForm({ path, tools, chosen = tools[0], all }: TryFormProps) {
  return (
    <section aria-labelledby="test">
      <h2 id="test">Try it</h2>
      <p class="note">
        Your browser connects to this server's own address as an MCP client, and what it calls is really called.
      </p>
      <noscript>
        <p class="note">This part needs JavaScript; everything else on this page does not.</p>
      </noscript>
      <form class="try" data-path={path} autocomplete="off">
        <fieldset disabled>
          <legend class="unseen">Connection test and call</legend>
          <p>
            <button type="button" name="connect">
              Test connection
            </button>
          </p>
          {chosen && (
            <>
              <label for="tool">Tool</label>
              <select id="tool" name="tool">
                {tools.map(tool => (
                  <option value={tool.name} data-example={example(tool)} selected={tool === chosen}>
                    {toOneLine(tool.name, 128)}
                  </option>
                ))}
              </select>
              {all > tools.length && (
                <p class="note">
                  {tools.length} of {all} can be chosen here. “Try it” at any tool below leads back here with that one.
                </p>
              )}
              <label for="arguments">Arguments (JSON)</label>
              <textarea id="arguments" name="arguments" rows={5} spellcheck={false} autocapitalize="off">
                {example(chosen)}
              </textarea>
              <p class="buttons">
                <button type="submit" class="main">
                  Call
                </button>
                <button type="button" name="stop" hidden>
                  Stop
                </button>
              </p>
            </>
          )}
        </fieldset>
        <p class="outcome" role="status"></p>
        <div class="answer"></div>
      </form>
    </section>
  )
}

function example({ definition }: CatalogTool): string {
  const text = toReadableJson(exampleArguments(definition.inputSchema))
  return text.length > LONGEST_EXAMPLE ? "{}" : cut(text, LONGEST_EXAMPLE)
}
