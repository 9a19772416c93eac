// What the pages do beyond being read: copying, looking for a tool, and the connection test. Plain DOM; what servers
// send is only ever set as text.

const SHOWN_CHARACTERS = 100_000
const PROTOCOL = "2025-11-25"
const IMAGES = /^image\/(png|jpeg|gif|webp)$/

// The token came with the address once and is a cookie now: it need not stay where others may see it.
const here = new URL(location.href)
if (here.searchParams.has("token")) {
  here.searchParams.delete("token")
  history.replaceState(null, "", here)
}

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", () => copy(button))
}

async function copy(button) {
  const source = button.closest("figure").querySelector("pre")
  const done = await write(source)
  button.textContent = done ? "Copied" : "Select it"
  document.getElementById("said").textContent = done ? "Copied" : "It could not be copied; it is selected now"
  setTimeout(() => {
    button.textContent = "Copy"
  }, 2000)
}

/** The clipboard is there on loopback and under https; elsewhere the selection has to do. */
async function write(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(source)
    return document.execCommand("copy")
  }
}

const search = document.querySelector("form.search")
search?.addEventListener("submit", event => {
  event.preventDefault()
  const wanted = new FormData(search).get("q").trim()
  location.assign(`?${wanted === "" ? "" : new URLSearchParams({ q: wanted })}#tools`)
})

const form = document.querySelector("form.try")
if (form) prepare(form)

function prepare(form) {
  const { connect, stop, tool, arguments: written } = form.elements
  const call = form.querySelector("[type=submit]")
  const outcome = form.querySelector(".outcome")
  const answer = form.querySelector(".answer")
  let ending

  const say = (text, kind = "") => {
    outcome.textContent = text
    outcome.className = `outcome ${kind}`
  }
  /** One exchange at a time; `Stop` ends it, and the session with it. */
  const during = async (doing, work) => {
    if (ending) return
    ending = new AbortController()
    say(doing)
    answer.replaceChildren()
    if (stop) stop.hidden = false
    const session = openSession(form.dataset.path, ending.signal)
    try {
      await work(session)
    } catch (error) {
      say(ending.signal.aborted ? "Stopped." : describe(error), "bad")
    } finally {
      session.close()
      ending = undefined
      if (stop) stop.hidden = true
    }
  }

  form.querySelector("fieldset").disabled = false
  connect.addEventListener("click", () =>
    during("Connecting…", async session => {
      const { protocolVersion, serverInfo, ms } = await session.open()
      const started = performance.now()
      const count = await session.countTools()
      const listed = Math.round(performance.now() - started)
      // The hub answers for a server that is not there, from what it knows of it.
      const { state, reason } = await session.health()
      if (state !== "up")
        return say(`The hub answers, but the server is ${state}${reason ? `: ${reason}` : "."}`, "bad")
      const name = `${serverInfo?.name ?? "unnamed"} ${serverInfo?.version ?? ""}`.trim()
      const tools = `${count} tool${count === 1 ? "" : "s"}`
      say(`Connected in ${ms} ms: ${name}, protocol ${protocolVersion}. Listed ${tools} in ${listed} ms.`, "good")
    }),
  )
  if (!tool) return
  stop.addEventListener("click", () => ending?.abort())
  tool.addEventListener("change", () => {
    written.value = tool.selectedOptions[0].dataset.example
  })
  written.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(call)
  })
  form.addEventListener("submit", event => {
    event.preventDefault()
    let args
    try {
      args = JSON.parse(written.value.trim() || "{}")
    } catch (error) {
      written.focus()
      return say(`The arguments are not JSON: ${error.message}`, "bad")
    }
    during("Calling…", async session => {
      await session.open()
      const started = performance.now()
      const result = await session.request("tools/call", { name: tool.value, arguments: args })
      const ms = Math.round(performance.now() - started)
      if (result.isError) say(`The tool answered with an error after ${ms} ms.`, "bad")
      else say(`The tool answered in ${ms} ms.`, "good")
      show(answer, result)
    })
  })
}

/** An MCP client as small as it gets: one session, one request at a time. */
function openSession(path, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }
  let lastId = 0
  const post = message =>
    fetch(path, { method: "POST", headers, signal, body: JSON.stringify({ jsonrpc: "2.0", ...message }) })
  const request = async (method, params) => {
    const id = ++lastId
    const response = await post({ id, method, params })
    const session = response.headers.get("Mcp-Session-Id")
    if (session) headers["Mcp-Session-Id"] = session
    return answerOf(response, id)
  }
  return {
    request,
    async open() {
      const started = performance.now()
      const clientInfo = { name: "toolyard-page", version: "1.0.0" }
      const opened = await request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo })
      headers["MCP-Protocol-Version"] = opened.protocolVersion
      await post({ method: "notifications/initialized" })
      return { ...opened, ms: Math.round(performance.now() - started) }
    },
    async countTools() {
      let count = 0
      let cursor
      do {
        const { tools, nextCursor } = await request("tools/list", cursor === undefined ? {} : { cursor })
        count += tools.length
        cursor = nextCursor
      } while (cursor !== undefined)
      return count
    },
    async health() {
      const response = await fetch(path.replace("/mcp/", "/api/servers/"), { signal })
      return (await response.json()).server ?? {}
    },
    /** Nobody waits for it; what is still under way at the hub ends with it. */
    close() {
      if (headers["Mcp-Session-Id"]) fetch(path, { method: "DELETE", headers, keepalive: true }).catch(() => {})
    },
  }
}

async function answerOf(response, id) {
  const text = await response.text()
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream")
  const parts = isStream ? text.split(/\r?\n/).filter(line => /^data: *\S/.test(line)) : [text]
  const messages = parts.map(part => {
    try {
      return JSON.parse(isStream ? part.slice(5) : part)
    } catch {
      return {}
    }
  })
  const answer = messages.find(message => message.id === id && !message.method) ?? messages.at(-1)
  if (answer?.result) return answer.result
  const { message, code, data } = answer?.error ?? { message: `The hub answered with HTTP ${response.status}.` }
  throw Object.assign(new Error(message), { code, hint: data?.hint })
}

function describe({ name, message, code, hint }) {
  if (name === "TypeError") return "The hub could not be reached. Is it still running?"
  return [code === undefined ? message : `Error ${code}: ${message}`, hint].filter(Boolean).join(" ")
}

function show(place, result) {
  const blocks = Array.isArray(result.content) ? result.content : []
  for (const block of blocks) place.append(toElement(block))
  if (blocks.length === 0) place.append(element("p", "It has no content."))
  const whole = document.createElement("details")
  whole.append(element("summary", "The whole answer"), element("pre", JSON.stringify(result, null, 2)))
  place.append(whole)
}

function toElement(block) {
  if (block.type === "text") return element("pre", String(block.text))
  if (block.type === "image" && IMAGES.test(block.mimeType)) {
    const image = document.createElement("img")
    image.src = `data:${block.mimeType};base64,${block.data}`
    image.alt = "An image that the tool answered with"
    return image
  }
  return element("pre", JSON.stringify(block, null, 2))
}

function element(name, text) {
  const made = document.createElement(name)
  const more = text.length - SHOWN_CHARACTERS
  made.textContent = more > 0 ? `${text.slice(0, SHOWN_CHARACTERS)}\n… and ${more} more characters` : text
  return made
}
