import { bareHttp, directStdio, floor, sdkHttp } from "./baselines.ts"
import type { Contestant } from "./contestant.ts"
import { mcpHub, mcpProxy, supergateway } from "./peers.ts"
import { toolyardLegacy, toolyardModern } from "./toolyard.ts"

export const CONTESTANTS: Contestant[] = [
  directStdio,
  bareHttp,
  floor,
  sdkHttp,
  toolyardLegacy,
  toolyardModern,
  mcpHub,
  supergateway,
  mcpProxy,
]
