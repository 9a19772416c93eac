/** Several at a time, so that nobody waits for one disk access after another. */

const WIDTH = 8

/** Each worker takes the next item as soon as it is done with its last; the first failure is the failure. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: WIDTH }, worker))
}
