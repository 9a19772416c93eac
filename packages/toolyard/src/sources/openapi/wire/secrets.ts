/** What must not be seen: every form in which a secret may come back is replaced by the name it goes under. */
import { percentEncode } from "./encode.ts"

/** Shorter ones would be found in places that have nothing to do with them. */
const SHORTEST = 6

export class Secrets {
  readonly #forms = new Map<string, string>()

  add(name: string, value: string): void {
    if (value.length < SHORTEST) return
    const json = JSON.stringify(value).slice(1, -1)
    const utf8 = Buffer.from(value).toString("latin1")
    const forms = [
      value,
      utf8,
      json,
      encodeURIComponent(value),
      percentEncode(value),
      Buffer.from(value).toString("base64"),
    ]
    for (const form of forms) if (!this.#forms.has(form)) this.#forms.set(form, name)
  }

  redact(text: string): string {
    let redacted = text
    for (const [form, name] of this.#longestFirst()) redacted = redacted.replaceAll(form, `[${name}]`)
    return redacted
  }

  /** The same for bytes, whatever they are. */
  redactBytes(bytes: Buffer): Buffer {
    if (![...this.#forms.keys()].some(form => bytes.includes(form))) return bytes
    let text = bytes.toString("latin1")
    for (const [form, name] of this.#longestFirst())
      text = text.replaceAll(Buffer.from(form).toString("latin1"), `[${Buffer.from(name).toString("latin1")}]`)
    return Buffer.from(text, "latin1")
  }

  /** One secret may be a part of another. */
  #longestFirst(): [form: string, name: string][] {
    return [...this.#forms].sort(([a], [b]) => b.length - a.length)
  }
}
