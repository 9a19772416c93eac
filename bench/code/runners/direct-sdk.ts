/** No sandbox, no server between: what the tool calls cost by themselves through an SDK client. */
import type { Subject } from "../sample.ts"
import { functionSubject } from "./function.ts"
import { openSdkClient } from "./tools.ts"

export const openSubject = async (): Promise<Subject> => functionSubject(await openSdkClient())
