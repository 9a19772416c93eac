/** A server that is not there: the ones that may have been meant. */
import type { Catalog } from "../../../catalog/catalog.ts"
import { nearest } from "../../../model/nearest.ts"
import { Layout } from "./layout.tsx"
import { serverPath } from "./place.ts"
import { toOneLine } from "./text.ts"

const SHOWN = 20

export function NotFoundPage({ catalog, version, asked }: { catalog: Catalog; version: string; asked: string }) {
  const names = catalog.servers().map(({ name }) => name)
  const near = nearest(asked, names)
  return (
    <Layout title="No such server · Toolyard" version={version} trail={[{ text: toOneLine(asked, 60) }]}>
      <h1>No such server</h1>
      <p class="lead">
        There is no server <code>{toOneLine(asked, 128)}</code> in this yard.
      </p>
      {near !== undefined && (
        <p>
          Did you mean <a href={serverPath(near)}>{near}</a>?
        </p>
      )}
      {names.length > 0 && (
        <section aria-labelledby="servers">
          <h2 id="servers">Servers ({names.length})</h2>
          <ul class="list">
            {names.slice(0, SHOWN).map(name => (
              <li>
                <a href={serverPath(name)}>{name}</a>
              </li>
            ))}
          </ul>
          {names.length > SHOWN && (
            <p>
              <a href="/mcp">See all {names.length}</a>
            </p>
          )}
        </section>
      )}
    </Layout>
  )
}
