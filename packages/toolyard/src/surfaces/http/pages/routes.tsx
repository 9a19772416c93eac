/** The pages' routes, and the headers that keep a page to itself. */
import type { Context, Hono } from "hono"
import type { Member } from "../../../catalog/member.ts"
import { SCRIPT, STYLE } from "./assets.ts"
import { toDocument } from "./layout.tsx"
import { MetaPage } from "./meta-page.tsx"
import { NotFoundPage } from "./not-found-page.tsx"
import type { PageDeps } from "./place.ts"
import { ServerPage } from "./server-page.tsx"
import { YardPage, type YardPath } from "./yard-page.tsx"

const YARD_PATHS: YardPath[] = ["/mcp", "/mcp/all", "/mcp/code"]

const PAGE_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
}

export function addPageRoutes(app: Hono, deps: PageDeps): void {
  const { catalog, version } = deps
  const ofServer = (context: Context, show: (member: Member, origin: string, query: URLSearchParams) => Shown) => {
    const asked = context.req.param("server") as string
    const member = catalog.server(asked)
    if (!member) return send(context, <NotFoundPage catalog={catalog} version={version} asked={asked} />, 404)
    const { origin, searchParams } = urlOf(context)
    return send(context, show(member, origin, searchParams))
  }

  app.get("/mcp/", context => context.redirect("/mcp"))
  for (const path of YARD_PATHS) {
    app.get(path, context => {
      const { origin, searchParams } = urlOf(context)
      return send(context, <YardPage deps={deps} path={path} origin={origin} query={searchParams} />)
    })
  }
  app.get("/mcp/meta/:server", context =>
    ofServer(context, (member, origin, query) => (
      <MetaPage deps={deps} member={member} origin={origin} query={query} />
    )),
  )
  app.get("/mcp/:server", context =>
    ofServer(context, (member, origin, query) => (
      <ServerPage deps={deps} member={member} origin={origin} query={query} />
    )),
  )
  for (const { path, type, text } of [STYLE, SCRIPT]) {
    app.get(path, context =>
      context.body(text, 200, {
        "Content-Type": type,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=31536000, immutable",
      }),
    )
  }
}

type Shown = ReturnType<typeof MetaPage>

function send(context: Context, page: Shown, status: 200 | 404 = 200): Response {
  return context.html(toDocument(page), status, PAGE_HEADERS)
}

/** What came with the request, without the token: no link carries it on. */
function urlOf(context: Context): URL {
  const url = new URL(context.req.url)
  url.searchParams.delete("token")
  return url
}
