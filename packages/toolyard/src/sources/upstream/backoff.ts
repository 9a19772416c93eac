/** When to try again: at once after the first failure, then ever later up to a minute, each time with jitter, for ever. */

const FIRST_MS = 100
const LONGEST_MS = 60_000

export function retryDelay(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 20))
  return Math.round(ceiling / 2 + (random() * ceiling) / 2)
}
