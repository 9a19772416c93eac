/** Headers that go with every request: what lets one in is a variable of the environment, even where it was written out. */
import { toVariableName } from "./literal.ts"

const SECRET = /auth|key|token|secret|cookie|password|session/i

export function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isWritten = SECRET.test(name) && !/(?<!\$)\$\{/.test(value)
      return [name, isWritten ? `\${${toVariableName(name)}}` : value]
    }),
  )
}
