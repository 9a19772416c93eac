/** How a server is: one word where there is little room, and all that is known where there is more. */
import type { Member } from "../../../catalog/member.ts"
import type { ServerMetrics } from "../../../catalog/metrics.ts"
import type { ServerState } from "../../../model/source.ts"
import { cut } from "./text.ts"

const SHOWN_LINES = 40
const LONGEST_LINE = 400

export function State({ state }: { state: ServerState }) {
  return <span class={`state ${state}`}>{state}</span>
}

function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString()
  return <time datetime={iso}>{`${iso.slice(0, 19).replace("T", " ")} UTC`}</time>
}

export function Health({ member }: { member: Member }) {
  const { state, era, reason, nextRetryAt, attempts, pid, since } = member.health()
  const { info } = member.offer
  return (
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <State state={state} />
        </dd>
        {reason !== undefined && (
          <>
            <dt>Reason</dt>
            <dd>{cut(reason, 2000)}</dd>
          </>
        )}
        {since > 0 && (
          <>
            <dt>Since</dt>
            <dd>
              <Time at={since} />
            </dd>
          </>
        )}
        {nextRetryAt !== undefined && (
          <>
            <dt>Next attempt</dt>
            <dd>
              <Time at={nextRetryAt} />
            </dd>
          </>
        )}
        {attempts !== undefined && attempts > 0 && (
          <>
            <dt>Failed attempts</dt>
            <dd>{attempts}</dd>
          </>
        )}
        <dt>Type</dt>
        <dd>{member.config.entry.type}</dd>
        {info && (
          <>
            <dt>Calls itself</dt>
            <dd>{cut(`${info.name} ${info.version}`, 200)}</dd>
          </>
        )}
        {era && (
          <>
            <dt>Protocol</dt>
            <dd>{era === "modern" ? "modern (2026-07-28)" : "legacy (2025)"}</dd>
          </>
        )}
        {pid !== undefined && (
          <>
            <dt>Process</dt>
            <dd>{pid}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

export function Numbers({ member, metrics }: { member: Member; metrics: ServerMetrics | undefined }) {
  const calls = metrics?.calls ?? { ok: 0, "tool-error": 0, refused: 0, failed: 0 }
  const all = calls.ok + calls["tool-error"] + calls.refused + calls.failed
  const mean = metrics && all > 0 ? `${(metrics.totalMs / all).toFixed(1)} ms` : "–"
  const figures: [string, string][] = [
    ["Calls", String(all)],
    ["Succeeded", String(calls.ok)],
    ["Tool errors", String(calls["tool-error"])],
    ["Refused", String(calls.refused)],
    ["Failed", String(calls.failed)],
    ["Under way", String(member.slots.used)],
    ["Mean time", mean],
    ["Bytes of results", (metrics?.resultBytes ?? 0).toLocaleString("en")],
  ]
  return (
    <section aria-labelledby="numbers">
      <h2 id="numbers">Calls since the start</h2>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

export function Log({ member }: { member: Member }) {
  const lines = member.source?.logs?.() ?? []
  const shown = lines.slice(-SHOWN_LINES)
  return (
    <section aria-labelledby="log">
      <h2 id="log">Log</h2>
      {lines.length === 0 ? (
        <p class="empty">It has written nothing.</p>
      ) : (
        <>
          {lines.length > shown.length && (
            <p class="note">
              The last {shown.length} lines. <code>toolyard logs {member.name}</code> shows more.
            </p>
          )}
          <pre class="log">{shown.map(line => cut(line, LONGEST_LINE)).join("\n")}</pre>
        </>
      )}
    </section>
  )
}
