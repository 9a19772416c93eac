/** The JSON Schema that editors use, printed from the zod schema and committed in `schema/`. */
import { writeFile } from "node:fs/promises"
import * as z from "zod"
import { CONFIG_FILE } from "./schema.ts"

export const SCHEMA_URL = "https://unpkg.com/toolyard/schema/toolyard.schema.json"

export function toJsonSchemaText(): string {
  // draft-07 is what editors support in full; `input` is what a person writes, before defaults.
  const { $schema, ...rest } = z.toJSONSchema(CONFIG_FILE, { target: "draft-7", io: "input" })
  const schema = { $schema, title: "toolyard.json", allowComments: true, allowTrailingCommas: true, ...rest }
  return `${JSON.stringify(schema, null, 2)}\n`
}

export async function writeJsonSchema(file: string | URL): Promise<void> {
  await writeFile(file, toJsonSchemaText())
}
