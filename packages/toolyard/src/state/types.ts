/**
 * Where what must last is kept. Everything here is asynchronous and speaks JSON, so that one machine (memory, SQLite)
 * and many (Redis) can stand behind the same three interfaces.
 */
import type { JsonObject } from "../model/json.ts"
import type { Unsubscribe } from "../model/source.ts"

export interface Entry<T = unknown> {
  key: string
  value: T
}

/** One line of a stream. Ids only ever grow, also over restarts and trims; they may have gaps. */
export interface Row {
  id: number
  /** Epoch ms at which it was appended. */
  at: number
  data: JsonObject
}

export type Scalar = string | number | boolean | null

/** Values are JSON: what comes out is a copy of what went in. Whatever can't be kept fails with a `YardError`. */
export interface Store {
  get<T = unknown>(ns: string, key: string): Promise<T | undefined>
  /** `undefined` deletes. Without `ttlMs` the value stays until it is deleted. */
  set(ns: string, key: string, value: unknown, options?: { ttlMs?: number }): Promise<void>
  /** True when there was something to delete. */
  delete(ns: string, key: string): Promise<boolean>
  /** In the order of the keys' UTF-8 bytes. */
  entries<T = unknown>(ns: string, options?: { prefix?: string; limit?: number }): Promise<Entry<T>[]>
  /**
   * Reads, changes and writes with nobody in between, other processes included. `change` is synchronous, touches
   * nothing else and may be run more than once; `undefined` deletes, a throw leaves everything as it was.
   * Without `ttlMs` an existing value keeps the lifetime it had.
   */
  update<T = unknown>(
    ns: string,
    key: string,
    change: (current: T | undefined) => T | undefined,
    options?: { ttlMs?: number },
  ): Promise<T | undefined>
  /** All of the rows or, on failure, none. */
  append(stream: string, rows: object[]): Promise<void>
  /** Newest first; `before` is the id to go on from, `filter` compares top-level fields. */
  tail(
    stream: string,
    options: { limit: number; before?: number; filter?: Record<string, Scalar | undefined> },
  ): Promise<Row[]>
  /** Drops the oldest rows beyond `maxRows` and those older than `olderThanMs`; resolves to how many went. */
  trim(stream: string, options: { maxRows?: number; olderThanMs?: number }): Promise<number>
  close(): Promise<void>
}

export interface Bus {
  /** Resolves when the message is on its way, not when it was heard. */
  publish(topic: string, message: unknown): Promise<void>
  /** Messages of one publisher arrive in order, never within the call of `publish`. All listeners get the same copy. */
  subscribe(topic: string, listener: (message: unknown) => void): Unsubscribe
}

export interface Blob {
  bytes: Uint8Array
  mediaType: string
  size: number
}

export interface BlobInfo {
  cid: string
  size: number
  /** Epoch ms of the last `put`. */
  at: number
}

/** Bytes under the name of their content: CIDv1, sha2-256, raw, base32. */
export interface Blobs {
  /** The same content is stored once; a media type given later replaces the earlier one. */
  put(bytes: Uint8Array | string, options?: { mediaType?: string }): Promise<{ cid: string; size: number }>
  /** What no longer matches its name is reported, set aside and missing. */
  get(cid: string): Promise<Blob | undefined>
  has(cid: string): Promise<boolean>
  delete(cid: string): Promise<boolean>
  /** Newest first. */
  list(options?: { limit?: number }): Promise<BlobInfo[]>
  /** Deletes the oldest until the rest fits; resolves to how many went. */
  trim(options: { maxBytes: number }): Promise<number>
}

/** Told, in a sentence for people, whatever was wrong and what was done about it. */
export type Report = (problem: string) => void

export interface State {
  readonly kind: "sqlite" | "memory"
  readonly store: Store
  readonly bus: Bus
  readonly blobs: Blobs
  close(): Promise<void>
}
