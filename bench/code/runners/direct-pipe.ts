/** No sandbox, no server between, no SDK: what the tool calls cost at least. */
import type { Subject } from "../sample.ts"
import { functionSubject } from "./function.ts"
import { openBareClient } from "./tools.ts"

export const openSubject = async (): Promise<Subject> => functionSubject(await openBareClient())
