import { describe, expect, it } from "vitest"
import { meanOf, toAccount } from "./account.ts"

describe("the account of a conversation", () => {
  it("reads everything again in each turn, and pays full price only for what is new", () => {
    const { total, cost, peak, turns } = toAccount(1000, [
      { out: 10, back: 90 },
      { out: 20, back: 0 },
    ])
    expect(turns).toBe(2)
    expect(total).toBe(1000 + 10 + 1100 + 20)
    expect(peak).toBe(1120)
    // The first turn reads 1,000 new tokens; the second reads them again, and 100 new ones.
    expect(cost).toBeCloseTo(1.25 * 1000 + 5 * 10 + 1.25 * 100 + 0.1 * 1000 + 5 * 20)
  })

  it("is averaged over tasks", () => {
    const mean = meanOf([toAccount(10, [{ out: 0, back: 0 }]), toAccount(30, [{ out: 0, back: 0 }])])
    expect(mean).toMatchObject({ total: 20, peak: 20, turns: 1 })
  })
})
