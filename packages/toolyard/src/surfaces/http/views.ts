/** Servers and tools of the catalog as `/api` shows them; apart from the app, so that showing them needs no web server. */
import type { Member } from "../../catalog/member.ts"
import type { ApiServer, ApiTool } from "../../model/api.ts"

export function toApiServer(member: Member): ApiServer {
  const { state, era, reason, nextRetryAt, attempts, pid, since } = member.health()
  const { config, offer } = member
  return {
    name: member.name,
    type: config.entry.type,
    state,
    ...(era && { era }),
    ...(config.description !== undefined && { description: config.description }),
    tools: member.tools.length,
    resources: offer.resources.length,
    prompts: offer.prompts.length,
    ...(reason !== undefined && { reason }),
    ...(nextRetryAt !== undefined && { nextRetryAt: new Date(nextRetryAt).toISOString() }),
    ...(attempts && { attempts }),
    ...(pid !== undefined && { pid }),
    ...(since > 0 && { since: new Date(since).toISOString() }),
  }
}

export function toApiTool(id: string, member: Member, name: string, definition: ApiTool["definition"]): ApiTool {
  return {
    id,
    server: member.name,
    name,
    ...(typeof definition.description === "string" && { description: definition.description }),
    definition,
  }
}
