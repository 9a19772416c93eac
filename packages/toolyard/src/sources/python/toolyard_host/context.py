"""What a function gets when it asks for a context, and the exceptions that come with it."""
import json
import threading

from .to_json import to_json

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Cancelled(BaseException):
    """The caller no longer waits for this call. No `Exception`, so that a loop which survives errors ends."""


class Declined(Exception):
    """The person who was asked said no, or nothing."""


class ToolError(Exception):
    """Another tool answered with an error; `code` is toolyard's name for it, where it has one."""

    def __init__(self, tool, message, code=None):
        super().__init__("%s: %s" % (tool, message))
        self.tool = tool
        self.code = code


class Context:
    """In an `async def`, `ask`, `sample` and `call` are awaited; anywhere else they wait by themselves."""

    def __init__(self, call, wire, loop, log_level, logger):
        self._call = call
        self._wire = wire
        self._loop = loop
        self._log_level = log_level
        self._logger = logger

    @property
    def request_id(self):
        return self._call.id

    @property
    def cancelled(self):
        return self._call.cancelled

    def check(self):
        """Raises `Cancelled` if the caller no longer waits."""
        if self._call.cancelled:
            raise Cancelled()

    def progress(self, done, total=None, message=None):
        if self._call.token is None:
            self.check()
            return
        params = {"progressToken": self._call.token, "progress": done}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = str(message)
        with self._call.shield:
            self._wire.notify("notifications/progress", params)

    def log(self, level, message=None):
        """`log("warning", "…")`, or `log("…")` at level info."""
        if message is None:
            level, message = "info", level
        if level not in LEVELS:
            raise ValueError("there is no log level %r; use one of %s" % (level, ", ".join(LEVELS)))
        if LEVELS.index(level) < LEVELS.index(self._log_level()):
            return
        data = message if _is_json(message) else str(message)
        with self._call.shield:
            self._wire.notify(
                "notifications/message", self._attributed({"level": level, "logger": self._logger, "data": data})
            )

    def debug(self, message):
        self.log("debug", message)

    def info(self, message):
        self.log("info", message)

    def warning(self, message):
        self.log("warning", message)

    warn = warning

    def error(self, message):
        self.log("error", message)

    def ask(self, message, schema=None):
        """Asks the person behind the call; gives what they filled in, raises `Declined` if they would not.

        `schema` is that of an object, or just its properties."""
        requested = schema or {}
        if requested.get("type") != "object":
            requested = {"type": "object", "properties": requested}
        params = {"message": message, "requestedSchema": requested}
        return self._request("elicitation/create", params, lambda answer: _content(_result(answer, "ask")))

    async def ask_async(self, message, schema=None):
        return await self.ask(message, schema)

    def sample(self, params):
        """Lets the caller's model write something: the parameters and the result of `sampling/createMessage`."""
        return self._request("sampling/createMessage", dict(params), lambda answer: _result(answer, "sample"))

    def call(self, tool, arguments=None):
        """Calls another tool of the yard; gives its value, raises `ToolError` if it fails."""
        params = {"name": tool, "arguments": to_json(arguments or {})}
        return self._request("toolyard/call", params, lambda answer: _value(_result(answer, tool), tool))

    def _attributed(self, params):
        return {**params, "_meta": {**params.get("_meta", {}), "toolyard/request": self._call.id}}

    def _request(self, method, params, read):
        if threading.get_ident() == self._loop.thread:
            return self._request_async(method, params, read)
        with self._call.shield:
            number, future = self._wire.request(method, self._attributed(params))
            self._call.wait_for(future)
            self._call.waiting.discard(future)
            if self._call.cancelled:
                self._wire.withdraw(number)
                raise Cancelled()
        return read(future.result())

    async def _request_async(self, method, params, read):
        import asyncio

        self.check()
        number, future = self._wire.request(method, self._attributed(params))
        try:
            return read(await asyncio.wrap_future(future))
        except asyncio.CancelledError:
            self._wire.withdraw(number)
            raise


def _is_json(value):
    try:
        json.dumps(value, allow_nan=False)
        return True
    except (TypeError, ValueError, RecursionError):
        return False


def _result(answer, tool):
    error = answer.get("error")
    if isinstance(error, dict):
        data = error.get("data")
        raise ToolError(tool, error.get("message", "failed"), data.get("code") if isinstance(data, dict) else None)
    result = answer.get("result")
    return result if isinstance(result, dict) else {}


def _content(result):
    if result.get("action") != "accept":
        raise Declined("the question was answered with %s" % result.get("action"))
    return result.get("content") or {}


def _value(result, tool):
    content = result.get("content") or []
    texts = [block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)]
    if result.get("isError"):
        raise ToolError(tool, "\n".join(texts) or "failed")
    if "structuredContent" in result:
        structured = result["structuredContent"]
        wrapped = (result.get("_meta") or {}).get("toolyard/wrapped")
        return structured.get("result") if wrapped and isinstance(structured, dict) else structured
    if len(texts) < len(content):
        return content
    if not texts:
        return None
    text = "\n".join(texts)
    try:
        return json.loads(text)
    except ValueError:
        return text
