"""The JSON-RPC messages to and from the hub, one a line, kept apart from all that user code reads and prints."""
import itertools
import json
import os
import sys
import threading

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


class Wire:
    """Takes stdin and stdout for itself: user code, and what it starts, then reads nothing and prints to stderr."""

    def __init__(self):
        self._input = os.fdopen(os.dup(0), "rb", 1 << 16)
        self._output = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._ids = itertools.count(1)
        self._waiting = {}

    def lines(self):
        return iter(self._input.readline, b"")

    def send(self, line):
        """Sends one message that is JSON in ASCII already. Never call it where a call's thread may be struck."""
        if os.getpid() != self._pid:
            os._exit(1)  # a copy of the process that user code made and let run on into ours
        data = memoryview(line.encode("ascii") + b"\n")
        try:
            with self._lock:
                while data:
                    data = data[os.write(self._output, data) :]
        except OSError:
            os._exit(0)  # nobody listens any more

    def answer(self, request, result):
        self.send('{"jsonrpc":"2.0","id":%s,"result":%s}' % (_encode(request), result))

    def refuse(self, request, code, message):
        self.send(_encode({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}))

    def notify(self, method, params):
        self.send(_encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def request(self, method, params):
        """(id, future of the result)"""
        from concurrent.futures import Future

        number, future = next(self._ids), Future()
        line = _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        self._waiting[number] = future
        self.send(line)
        return number, future

    def withdraw(self, number):
        if self._waiting.pop(number, None) is not None:
            self.notify("notifications/cancelled", {"requestId": number})

    def settle(self, message):
        """An answer of the hub to a request of ours."""
        future = self._waiting.pop(message.get("id"), None)
        if future is not None and not future.done():
            try:
                future.set_result(message)
            except Exception:
                pass  # withdrawn at the same moment
