/** One operation as the description has it, with what surrounds it; all that conversion looks at. */
import type { JsonObject } from "../../../model/json.ts"
import type { Description } from "../read/description.ts"
import type { Located } from "../read/resolve.ts"
import type { Complain } from "../schema/keywords.ts"

export interface SourceOperation {
  description: Description
  /** Swagger 2.0 says many things elsewhere. */
  isSwagger: boolean
  /** In capitals. */
  method: string
  /** As it is written, which is what the operation is called by where it has no id. */
  path: string
  pathItem: Located & { value: JsonObject }
  operation: Located & { value: JsonObject }
  complain: Complain
}
