/** Remembers the results for the keys that were used last. */

export interface Memory<T> {
  /** What is known for the key, or else what `make` gives. */
  remember(key: string, make: () => T): T
  forget(key: string): void
}

export function createMemory<T>(size: number): Memory<T> {
  const known = new Map<string, T>()
  return {
    remember(key, make) {
      const value = known.has(key) ? (known.get(key) as T) : make()
      // A map keeps the order of insertion: the first key is the one unused for longest.
      known.delete(key)
      known.set(key, value)
      const [oldest] = known.keys()
      if (known.size > size && oldest !== undefined) known.delete(oldest)
      return value
    },
    forget(key) {
      known.delete(key)
    },
  }
}
