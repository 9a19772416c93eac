/** Every failure toolyard itself can report, in one table. `docs/reference/errors.md` is checked against it. */

export interface ErrorSpec {
  /** JSON-RPC code on MCP surfaces. */
  rpc: number
  /** HTTP status, where the failure is not inside an MCP answer. */
  http: number
  /** Exit code of the CLI. */
  exit: number
  /** Whether the same request may succeed later without being changed. */
  retryable: boolean
  /**
   * `result`: a `tools/call` that fails this way answers with an `isError` result, which the model can read and act on.
   * `protocol`: it answers with a JSON-RPC error.
   */
  onToolCall: "result" | "protocol"
  hint: string
}

const spec = (
  rpc: number,
  http: number,
  exit: number,
  retryable: boolean,
  onToolCall: ErrorSpec["onToolCall"],
  hint: string,
): ErrorSpec => ({ rpc, http, exit, retryable, onToolCall, hint })

export const ERRORS = {
  parse_error: spec(-32700, 400, 65, false, "protocol", "Send one valid JSON-RPC message as UTF-8 JSON."),
  invalid_request: spec(-32600, 400, 65, false, "protocol", 'Send an object with "jsonrpc": "2.0" and a "method".'),
  method_not_found: spec(-32601, 404, 64, false, "protocol", "This address does not offer that method."),
  invalid_params: spec(-32602, 400, 65, false, "protocol", "Check the parameters against the method's schema."),
  internal: spec(-32603, 500, 70, false, "protocol", "This is a bug in toolyard: please report it with the log."),
  unauthorized: spec(
    -32001,
    401,
    77,
    false,
    "protocol",
    "Send the token of the ready URL as `Authorization: Bearer …` or `?token=…`.",
  ),
  forbidden: spec(-32003, 403, 77, false, "protocol", "Only loopback names and allowed origins may talk to the hub."),
  not_found: spec(-32602, 404, 66, false, "protocol", "See `toolyard servers` and `toolyard tools` for what there is."),
  session_not_found: spec(-32001, 404, 66, false, "protocol", "The session has ended: send `initialize` again."),
  payload_too_large: spec(-32600, 413, 65, false, "protocol", "Send less in one request."),
  unsupported_media_type: spec(-32600, 415, 65, false, "protocol", "Send `Content-Type: application/json`."),
  not_acceptable: spec(-32000, 406, 65, false, "protocol", "Send `Accept: application/json, text/event-stream`."),
  unknown_server: spec(-32602, 404, 66, false, "protocol", "See `toolyard servers` for the names."),
  unknown_tool: spec(-32602, 404, 66, false, "protocol", "See `toolyard tools` or `toolyard search` for the names."),
  unknown_resource: spec(-32002, 404, 66, false, "protocol", "See `resources/list` for what can be read."),
  unknown_prompt: spec(-32602, 404, 66, false, "protocol", "See `prompts/list` for the names."),
  invalid_arguments: spec(
    -32602,
    400,
    65,
    false,
    "result",
    "Correct the arguments as the message says and call again.",
  ),
  denied: spec(-32003, 403, 77, false, "result", "A rule under `policy` in toolyard.json forbids this."),
  read_only: spec(-32003, 403, 77, false, "result", "`readOnly` is set; only tools that change nothing may be called."),
  approval_required: spec(
    -32003,
    403,
    77,
    false,
    "result",
    "A rule says `ask` and nobody could be asked; decide with `toolyard approvals`, or change the rule.",
  ),
  approval_denied: spec(-32003, 403, 77, false, "result", "A person said no: do not try again in the same way."),
  approval_timeout: spec(
    -32005,
    504,
    75,
    true,
    "result",
    "Nobody decided in time; ask again when someone is there, or change the rule under `policy`.",
  ),
  type_error: spec(
    -32602,
    400,
    65,
    false,
    "result",
    "Correct the script as the messages say; no tool was called. `toolyard types SERVER` shows the types.",
  ),
  script_error: spec(-32603, 422, 1, false, "result", "The script threw this; correct it, or catch it in the script."),
  limit_time: spec(
    -32005,
    504,
    75,
    false,
    "result",
    "Do less in one run, or raise `sandbox.timeoutMs` (or `timeoutMs` of the run).",
  ),
  limit_cpu: spec(-32005, 504, 75, false, "result", "Compute less in the script, or raise `sandbox.cpuMs`."),
  limit_memory: spec(-32007, 413, 75, false, "result", "Hold less at once, or raise `sandbox.memoryMb`."),
  limit_calls: spec(-32007, 429, 75, false, "result", "Make fewer calls in one run, or raise `sandbox.maxCalls`."),
  limit_calls_in_flight: spec(
    -32007,
    429,
    75,
    false,
    "result",
    "Await some calls before making more, or raise `sandbox.maxCallsInFlight`.",
  ),
  limit_logs: spec(-32007, 413, 75, false, "result", "Log less, or raise `sandbox.maxLogBytes`."),
  limit_result: spec(
    -32007,
    413,
    75,
    false,
    "result",
    "Pass less at once (filter it in the script), or raise `sandbox.maxResultBytes`.",
  ),
  sandbox_crashed: spec(
    -32603,
    500,
    70,
    true,
    "result",
    "The process that ran the script died; nothing else was harmed. Run it again if its calls may be repeated.",
  ),
  interrupted: spec(
    -32006,
    503,
    75,
    false,
    "result",
    "Toolyard stopped meanwhile; it is not known whether the call had its effect, so it was not repeated.",
  ),
  fetch_refused: spec(
    -32003,
    403,
    77,
    false,
    "result",
    "Add the host to `sandbox.network` in toolyard.json to allow it.",
  ),
  fetch_failed: spec(-32603, 502, 69, true, "result", "The host could not be reached or broke off; try again later."),
  unknown_run: spec(-32602, 404, 66, false, "result", "See `toolyard runs` for the runs that are kept."),
  unknown_approval: spec(-32602, 404, 66, false, "result", "See `toolyard approvals` for what waits."),
  unknown_script: spec(-32602, 404, 66, false, "result", "See `toolyard scripts` for the names."),
  server_disabled: spec(
    -32004,
    503,
    69,
    false,
    "result",
    "Enable the server in toolyard.json, or set the variable it needs.",
  ),
  server_down: spec(
    -32004,
    503,
    69,
    true,
    "result",
    "It is being restarted; try again shortly, or run `toolyard doctor`.",
  ),
  needs_login: spec(-32004, 401, 77, false, "result", "Put its token under `headers` of the server in toolyard.json."),
  upstream_crashed: spec(
    -32004,
    502,
    69,
    true,
    "result",
    "The server died during the call; it is being restarted. The call may or may not have had its effect.",
  ),
  upstream_error: spec(-32603, 502, 69, false, "protocol", "The server answered with this error itself."),
  upstream_bad_reply: spec(
    -32603,
    502,
    69,
    false,
    "result",
    "The server broke the protocol; `toolyard logs SERVER` shows what it wrote.",
  ),
  timeout: spec(
    -32005,
    504,
    75,
    true,
    "result",
    "Raise `timeoutMs` for this server or tool in toolyard.json, or ask for less.",
  ),
  cancelled: spec(-32006, 499, 130, true, "protocol", "The caller ended the request."),
  overloaded: spec(-32007, 429, 75, true, "result", "Too many calls at once; wait for some to finish."),
  client_cannot: spec(
    -32008,
    400,
    69,
    false,
    "result",
    'Use a client that supports this, or set `isolation` to "session" for the server.',
  ),
  config_invalid: spec(-32602, 400, 78, false, "protocol", "Correct toolyard.json where the message says."),
  generation_failed: spec(
    -32603,
    502,
    69,
    true,
    "result",
    "The model could not do it; try again, another model, or a prompt that says more.",
  ),
  image_invalid: spec(-32602, 400, 65, false, "protocol", "Build or fetch the image again; do not run this one."),
  storage: spec(-32603, 507, 74, true, "protocol", "Free some disk space or check the permissions of `.toolyard`."),
  port_in_use: spec(-32603, 500, 69, false, "protocol", "Choose another port with `--port N`, or `--port 0` for any."),
  usage: spec(-32602, 400, 64, false, "protocol", "See `toolyard help`."),
} satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof ERRORS

/** A JSON-RPC error as a peer sent it, to be relayed unchanged. */
export interface RpcError {
  code: number
  message: string
  data?: unknown
}

export class YardError extends Error {
  readonly code: ErrorCode
  readonly hint: string
  readonly data: unknown
  /** Set when an upstream's own JSON-RPC error is being relayed: MCP surfaces answer with exactly this. */
  readonly rpc: RpcError | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; data?: unknown; rpc?: RpcError } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "YardError"
    this.code = code
    this.hint = options.hint ?? ERRORS[code].hint
    this.data = options.data
    this.rpc = options.rpc
  }

  /** What `/api` and `--json` print. */
  toJSON(): { code: ErrorCode; message: string; hint: string; data?: unknown } {
    return {
      code: this.code,
      message: this.message,
      hint: this.hint,
      ...(this.data !== undefined && { data: this.data }),
    }
  }
}

/** Anything thrown, as a `YardError`; what is not one is our bug and becomes `internal`. */
export function toYardError(error: unknown): YardError {
  if (error instanceof YardError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new YardError("internal", message, { cause: error })
}

/** The JSON-RPC error object a surface answers with. */
export function toRpcError(error: unknown): RpcError {
  const known = toYardError(error)
  if (known.rpc) return known.rpc
  return {
    code: ERRORS[known.code].rpc,
    message: known.message,
    data: { code: known.code, hint: known.hint, ...(known.data !== undefined && { details: known.data }) },
  }
}
