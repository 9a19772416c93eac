import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { type Description, readDescription } from "../read/description.ts"
import { escapePointer, follow, partOf } from "../read/resolve.ts"
import { toOperations } from "./operations.ts"

const FOLDER = join(import.meta.dirname, "../../../../../../../shared/data/openapi")
const WANTED = [
  "github-rest.json",
  "jira.yaml",
  "twilio-api-v2010.json",
  "twilio-verify-v2.json",
  "adyen-checkout.yaml",
]
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter(name => WANTED.includes(name)) : []
const MISSING = FILES.length > 0 ? undefined : "the recorded descriptions are not there"
const OPTIONS = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

describe.each(FILES.length > 0 ? FILES : ["(none)"])("the examples of %s", file => {
  it("fit the tools, unless the description's own schemas refuse them too", { timeout: 120_000 }, context => {
    context.skip(MISSING !== undefined, MISSING)
    const path = join(FOLDER, file)
    const description = readDescription(readFileSync(path, "utf8"), path)
    const { tools } = toOperations(description)
    const ajv = new Ajv2020(OPTIONS)
    const refused: string[] = []
    let count = 0
    let index = 0
    for (const [path, item] of Object.entries(description.root.paths as Record<string, JsonObject>)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!METHODS.includes(method)) continue
        const tool = tools[index++]!
        const at = `/paths/${escapePointer(path)}/${method}/requestBody`
        const located = follow(description, { value: (operation as JsonObject).requestBody, uri: description.uri, at })
        const type = tool.operation.body?.contents[0]?.mediaType
        const content = located && isObject(located.value) && partOf(description, located, "content")
        const media = content && type !== undefined && partOf(description, content, type)
        if (!media || !isObject(media.value)) continue
        const schema = tool.definition.inputSchema as JsonObject & { properties: JsonObject }
        const body = { ...(schema.properties[tool.operation.body!.argument] as JsonObject), $defs: schema.$defs ?? {} }
        const fits = ajv.compile(body)
        for (const example of examplesOf(description, media.value)) {
          count++
          if (!fits(example) && fitsRaw(description.root, `${media.at}/schema`, example))
            refused.push(tool.definition.name)
        }
      }
    }
    expect(count).toBeGreaterThan(20)
    expect(refused).toEqual([])
  })
})

/** A text is the example in another form, and nothing is an object of which only the fields are told. */
function examplesOf(description: Description, media: JsonObject): unknown[] {
  const listed = Object.values(isObject(media.examples) ? media.examples : {})
  const named = listed.map(value => follow(description, { value, uri: description.uri, at: "" })?.value)
  const values = [media.example, ...named.map(one => (isObject(one) ? one.value : undefined))]
  return values.filter(value => typeof value === "object" && value !== null)
}

function fitsRaw(root: JsonObject, pointer: string, value: unknown): boolean {
  const ajv = new Ajv2020({ ...OPTIONS, validateSchema: false, unicodeRegExp: false })
  ajv.addSchema(root, "root.json")
  const fragment = pointer.split("/").map(encodeURIComponent).join("/")
  return ajv.compile({ $ref: `root.json#${fragment}` })(value) === true
}
