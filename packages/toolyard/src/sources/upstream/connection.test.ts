import { expect, it } from "vitest"
import { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import { Connection } from "./connection.ts"
import type { Outgoing } from "./wire.ts"

it("lets go of a call whose caller leaves although the server can't be told any more", async () => {
  const lines: string[] = []
  const connection = new Connection({
    listChanged: () => {},
    updated: () => {},
    notification: () => {},
    log: line => lines.push(line),
    closed: () => {},
  })
  let full = false
  connection.attach({
    exchanges: false,
    send: (_message: Outgoing) => {
      if (full) throw new YardError("overloaded", "the server does not read what it is sent")
    },
    close: async () => {},
  })
  const call = new Call({ surface: "library", principal: "test" })
  const calling = connection.callTool("t", {}, call, undefined)
  full = true
  const reason = new YardError("timeout", "too long")
  call.abort(reason)
  await expect(calling).rejects.toBe(reason)
  expect(lines.join()).toContain("could not be told")
  await expect(connection.callTool("t", {}, new Call(call.caller), undefined)).rejects.toMatchObject({
    code: "overloaded",
  })
})
