/** One operation of an API as a tool, and as the request that a call of it becomes. Plain data: it can be cached. */
import type { JsonObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"

export interface OperationTool {
  definition: ToolDefinition
  operation: OperationPlan
}

export interface OperationPlan {
  /** As the description names it: `operationId`, or `GET /pets/{id}`. */
  id: string
  /** In capitals. */
  method: string
  /** A template: `/pets/{id}`. */
  path: string
  /** The first is used; never empty. */
  servers: ServerPlan[]
  parameters: ParameterPlan[]
  body?: BodyPlan
  /** Any one of these is enough; all of one's schemes belong together. An empty one: no secret is needed. */
  security: SecurityRequirement[]
}

export interface ServerPlan {
  /** Absolute, with `{variable}` places. */
  url: string
  variables: Record<string, { default: string; enum?: string[] }>
}

export interface ParameterPlan {
  /** The property of the tool's arguments. */
  argument: string
  /** On the wire. */
  name: string
  in: "path" | "query" | "header" | "cookie"
  required: boolean
  style: "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject"
  explode: boolean
  allowReserved: boolean
  /** Sent as this media type (`application/json`) instead of by style. */
  content?: string
}

export interface BodyPlan {
  /** The property of the tool's arguments. */
  argument: string
  required: boolean
  /** In the order of preference; never empty. */
  contents: BodyContent[]
}

export interface BodyContent {
  /** Such as `application/json` or `multipart/form-data`. */
  mediaType: string
  /** For forms: how each field is written, by its name. */
  encoding: Record<
    string,
    { contentType?: string; style?: ParameterPlan["style"]; explode?: boolean; headers?: JsonObject }
  >
  /** Fields of a form whose values are files: base64 in the arguments, bytes on the wire. */
  files: string[]
}

export interface SecurityRequirement {
  schemes: SecurityScheme[]
}

export type SecurityScheme =
  | { name: string; type: "apiKey"; in: "header" | "query" | "cookie"; key: string }
  | { name: string; type: "bearer" | "basic" }
  | { name: string; type: "oauth2"; tokenUrl?: string; scopes: string[] }
  /** One that toolyard can't do; the call is sent without. */
  | { name: string; type: "other"; scheme: string }

/** Something that the description got wrong, and what was made of it. */
export interface Repair {
  code: string
  /** A JSON pointer into the description. */
  at: string
  message: string
}
