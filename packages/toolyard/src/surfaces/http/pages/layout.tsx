/** What every page has around it. */
import type { Child } from "hono/jsx"
import { SCRIPT, STYLE } from "./assets.ts"
import { revealHidden } from "./text.ts"

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230d7a68' d='M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z'/%3E%3C/svg%3E"

export interface LayoutProps {
  title: string
  version: string
  /** The way here, without the yard itself: text and, where it is not this page, its address. */
  trail?: { text: string; href?: string }[]
  children?: Child
}

export function Layout({ title, version, trail = [], children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href={ICON} />
        <link rel="stylesheet" href={STYLE.path} />
        <script src={SCRIPT.path} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <nav aria-label="Breadcrumb">
            <ol>
              <li>
                <a class="brand" href="/mcp" aria-current={trail.length === 0 ? "page" : undefined}>
                  Toolyard
                </a>
              </li>
              {trail.map(({ text, href }) => (
                <li>{href === undefined ? <span aria-current="page">{text}</span> : <a href={href}>{text}</a>}</li>
              ))}
            </ol>
          </nav>
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <footer>
          <p>Toolyard {version}</p>
          <p id="said" class="unseen" role="status"></p>
        </footer>
      </body>
    </html>
  )
}

/** The whole document as text. Everything in it was escaped when it became an element. */
export function toDocument(page: { toString(): unknown }): string {
  return revealHidden(`<!doctype html>${String(page)}`)
}
