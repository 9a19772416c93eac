/** What happened while a server was made and used, as lines: the last of them are kept. */
import type { ModelUsage, Progress } from "./model.ts"

const KEEP_LINES = 200

export class Journal {
  readonly #lines: string[] = []
  #write: (line: string) => void = () => {}
  /** How often a model has answered. */
  answers = 0

  get lines(): string[] {
    return [...this.#lines]
  }

  /** From now on each line also goes there. */
  follow(write: (line: string) => void): void {
    this.#write = write
  }

  say(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > KEEP_LINES) this.#lines.shift()
    this.#write(line)
  }

  progress(onStep: (message: string) => void): Progress {
    return {
      step: (name, message) => {
        this.say(`${name}: ${message}`)
        onStep(message)
      },
      usage: usage => {
        this.answers++
        this.say(describeUsage(usage))
      },
    }
  }
}

function describeUsage({ step, ms, inputTokens, outputTokens, requestId }: ModelUsage): string {
  const tokens = inputTokens === undefined ? "" : `, ${inputTokens} tokens in, ${outputTokens ?? 0} out`
  return `${step}: ${Math.round(ms)} ms${tokens}${requestId === undefined ? "" : ` (${requestId})`}`
}
