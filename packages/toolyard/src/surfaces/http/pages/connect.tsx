/** How to connect: a snippet for every client, each with its own place to go to. */
import { type ClientSnippet, clientSnippets } from "./clients.ts"
import type { Place } from "./place.ts"
import { Pre } from "./pre.tsx"
import { programSnippets } from "./programs.ts"

export function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <figure class="snippet">
      <figcaption>
        <span>{label}</span>
        <button type="button" class="copy" aria-label={`Copy: ${label}`}>
          Copy
        </button>
      </figcaption>
      <Pre text={text} />
    </figure>
  )
}

/** First on every page: it is all that some clients ask for. */
export function Address({ place }: { place: Place }) {
  return (
    <figure class="address">
      <figcaption>Address</figcaption>
      <pre>{place.url}</pre>
      <button type="button" class="copy" aria-label="Copy: Address">
        Copy
      </button>
    </figure>
  )
}

export function Connect({ place }: { place: Place }) {
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect</h2>
      {place.needsToken && (
        <p class="note">
          <code>TOKEN</code> stands for the hub's token, which no page shows: it is in the address that{" "}
          <code>toolyard serve</code> printed, and in <code>.toolyard/hub.json</code>.
        </p>
      )}
      <h3>From a client</h3>
      <Choices snippets={clientSnippets(place)} group="client" />
      <h3>From a program</h3>
      <Choices snippets={programSnippets(place)} group="program" />
    </section>
  )
}

function Choices({ snippets, group }: { snippets: ClientSnippet[]; group: string }) {
  return (
    <div class="list">
      {snippets.map(({ client, where, text }, index) => (
        <details name={group} open={index === 0}>
          <summary>{client}</summary>
          <Snippet label={where} text={text} />
        </details>
      ))}
    </div>
  )
}
