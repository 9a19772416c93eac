/** The resources, templates and prompts of a server. Their addresses are shown, never linked to. */
import type { Child } from "hono/jsx"
import type { Member } from "../../../catalog/member.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { Pager, pageOf } from "./pager.tsx"
import { cut, toOneLine } from "./text.ts"

const SIZE = 40

export function Offer({ member, query }: { member: Member; query: URLSearchParams }) {
  const { resources, templates, prompts } = member.offer
  return (
    <>
      <Items title="Resources" id="resources" items={resources} query={query} show={item => <Resource item={item} />} />
      {templates.length > 0 && (
        <Items
          title="Resource templates"
          id="templates"
          items={templates}
          query={query}
          show={item => <Resource item={item} />}
        />
      )}
      <Items title="Prompts" id="prompts" items={prompts} query={query} show={item => <Prompt item={item} />} />
    </>
  )
}

interface ItemsProps {
  title: string
  id: string
  items: JsonObject[]
  query: URLSearchParams
  show: (item: JsonObject) => Child
}

function Items({ title, id, items, query, show }: ItemsProps) {
  const part = pageOf(items, query.get(id) ?? undefined, SIZE)
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title} ({items.length})
      </h2>
      {items.length === 0 ? (
        <p class="empty">It offers none.</p>
      ) : (
        <ul class="list">
          {part.items.map(item => (
            <li>{show(item)}</li>
          ))}
        </ul>
      )}
      <Pager part={part} name={id} what={title.toLowerCase()} query={query} anchor={id} />
    </section>
  )
}

function Resource({ item }: { item: JsonObject }) {
  const { uri, uriTemplate, name, title, mimeType, description } = item
  const named = [title ?? name, mimeType].filter(part => typeof part === "string").map(part => toOneLine(part, 120))
  return (
    <>
      <code>{cut(String(uri ?? uriTemplate), 400)}</code> <span class="quiet">{named.join(" · ")}</span>
      <span class="about">{toOneLine(description, 300)}</span>
    </>
  )
}

function Prompt({ item }: { item: JsonObject }) {
  const given = Array.isArray(item.arguments) ? item.arguments.filter(isObject) : []
  return (
    <>
      <code>{toOneLine(item.name, 128)}</code>
      <span class="about">{toOneLine(item.description, 300)}</span>
      {given.length > 0 && (
        <ul class="arguments">
          {given.slice(0, SIZE).map(argument => (
            <li>
              <code>{toOneLine(argument.name, 128)}</code>{" "}
              <span class="quiet">{argument.required === true ? "required" : "optional"}</span>{" "}
              {toOneLine(argument.description, 200)}
            </li>
          ))}
          {given.length > SIZE && <li>and {given.length - SIZE} more</li>}
        </ul>
      )}
    </>
  )
}
