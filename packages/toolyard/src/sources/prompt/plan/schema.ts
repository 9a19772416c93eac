/** A plan as a model writes it. No bounds here: what is wrong with its content is said in words, by check-plan.ts. */
import * as z from "zod"
import { isObject } from "../../../model/json.ts"

/** As text, since providers that enforce schemas know no open objects; a model that gives the object itself is right too. */
const schemaText = z.preprocess(value => (isObject(value) ? JSON.stringify(value) : value), z.string())

export const planSchema = z.object({
  description: z.string().describe("One or two sentences: what the server is for."),
  tools: z.array(
    z.object({
      name: z.string().describe("snake_case, a verb first: get_item."),
      description: z.string().describe("What the tool does and gives, for an agent that chooses between tools."),
      inputSchema: schemaText.describe("JSON Schema of the arguments, of type object, as JSON text."),
      outputSchema: schemaText.nullish().describe("JSON Schema of the result, as JSON text, where it is documented."),
      needsNetwork: z.boolean().describe("Whether it sends a request; false for pure computation."),
      endpoint: z
        .object({
          method: z.string().describe("GET, POST, …"),
          url: z.string().describe("The whole URL, parameters as {name}: https://api.example/items/{id}?sort={sort}"),
        })
        .nullish()
        .describe("Where the request goes; required when needsNetwork is true."),
      notes: z
        .string()
        .nullish()
        .describe("What the one who writes the code must know: headers, body, paging, formats."),
    }),
  ),
})

export type RawPlan = z.infer<typeof planSchema>
export type RawTool = RawPlan["tools"][number]
