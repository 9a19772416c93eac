/** jq itself, as WebAssembly: picks, filters and changes JSON. */
import { raw } from "jq-wasm"

/**
 * Runs a jq filter on a JSON value and gives all that comes out of it.
 * @param filter - The filter, such as `.items[] | select(.price < 10) | .name`.
 * @param data - The value that the filter is given.
 * @readOnly
 */
export async function query(filter: string, data: unknown): Promise<unknown[]> {
  const lines = await run(filter, JSON.stringify(data))
  return lines.map(line => JSON.parse(line))
}

/**
 * Runs a jq filter on JSON text, of one value or of several in a row.
 * @param filter - The filter.
 * @param json - The text.
 * @param pretty - Whether to print each value over several lines.
 * @readOnly
 */
export async function queryText(filter: string, json: string, pretty = false): Promise<string> {
  return (await raw(json, filter, pretty ? [] : ["-c"])).trimEnd()
}

async function run(filter: string, json: string): Promise<string[]> {
  return (await raw(json, filter, ["-c"])).split("\n").filter(line => line !== "")
}
