/** Dates and times, in any time zone. */

/** A length of time, as ISO 8601 writes it in words. */
export type Unit = "seconds" | "minutes" | "hours" | "days" | "weeks"

const SECONDS: Record<Unit, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 }

export interface Moment {
  /** In UTC. */
  iso: string
  /** For people of that place. */
  text: string
  timeZone: string
  weekday: string
}

/**
 * What time it is.
 * @param timeZone - Where, such as Europe/Berlin.
 * @readOnly
 */
export function now(timeZone = "UTC"): Moment {
  return describe(new Date(), timeZone)
}

/**
 * The same moment as people in another time zone write it.
 * @param date - The moment, in ISO 8601.
 * @param timeZone - Where, such as Asia/Tokyo.
 * @readOnly
 */
export function convert(date: Date, timeZone: string): Moment {
  return describe(date, timeZone)
}

/**
 * A moment some time after another, or before it.
 * @param date - The moment to count from, in ISO 8601.
 * @param amount - How many; below zero for earlier.
 * @param unit - Of what.
 * @readOnly
 */
export function add(date: Date, amount: number, unit: Unit): Moment {
  return describe(new Date(valid(date).getTime() + amount * SECONDS[unit] * 1000), "UTC")
}

/**
 * How long it is from one moment to another; below zero when the second is earlier.
 * @param from - In ISO 8601.
 * @param to - In ISO 8601.
 * @param unit - What to count in.
 * @readOnly
 */
export function between(from: Date, to: Date, unit: Unit = "days"): number {
  return (valid(to).getTime() - valid(from).getTime()) / 1000 / SECONDS[unit]
}

function describe(date: Date, timeZone: string): Moment {
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", { timeZone, ...options }).format(valid(date))
  return {
    iso: date.toISOString(),
    text: format({ dateStyle: "full", timeStyle: "long" }),
    timeZone,
    weekday: format({ weekday: "long" }),
  }
}

function valid(date: Date): Date {
  if (Number.isNaN(date.getTime())) throw new RangeError("this is no moment in time; write it as 2026-01-31T12:00:00Z")
  return date
}
