/**
 * What a conversation costs. Per turn of the model: in = system + tool definitions + all earlier messages. Nothing is
 * left out: the hub's own tools, each search, each script, each error and each answer is charged.
 */

/** One turn: what the model writes, and what comes back into the conversation because of it. */
export interface Turn {
  out: number
  back: number
}

export interface Account {
  /** Σ(in + out) */
  total: number
  /** 1.25 fresh + 0.1 cached + 5 out, in tokens of plain input. */
  cost: number
  /** The largest in + out. */
  peak: number
  turns: number
}

/** `start` is what the first turn reads: system, definitions, and the user's message. */
export function toAccount(start: number, turns: Turn[]): Account {
  const account: Account = { total: 0, cost: 0, peak: 0, turns: turns.length }
  let cached = 0
  let context = start
  for (const { out, back } of turns) {
    account.total += context + out
    account.cost += 1.25 * (context - cached) + 0.1 * cached + 5 * out
    account.peak = Math.max(account.peak, context + out)
    cached = context
    context += out + back
  }
  return account
}

export function meanOf(accounts: Account[]): Account {
  const mean = (of: (account: Account) => number): number =>
    accounts.reduce((sum, account) => sum + of(account), 0) / accounts.length
  return { total: mean(a => a.total), cost: mean(a => a.cost), peak: mean(a => a.peak), turns: mean(a => a.turns) }
}
