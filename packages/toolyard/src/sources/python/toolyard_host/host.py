"""The host: loads one file, then answers the hub until it closes the pipe."""
import json
import os
import re
import sys
import threading
import time

from .binding import HostedTool
from .calls import Call
from .context import LEVELS, Context
from .describe import describe
from .failure import describe_load_failure, print_trace
from .load import files_of, load, place_of
from .run import run, run_async
from .scope import Project
from .wire import Wire
from .workers import Loop, Workers

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
LINGER_SECONDS = 5
HEAD_ID = re.compile(rb'^\s*\{"jsonrpc":\s*"2\.0",\s*"id":\s*(\d+)')


def main(arguments):
    if len(arguments) != 1:
        sys.exit("usage: toolyard_host file.py")
    file = os.path.abspath(arguments[0])
    folder = os.path.dirname(file)
    wire = Wire()
    # Threads hand over to each other sooner than by default, so that a busy one does not hold up the answers of others.
    sys.setswitchinterval(0.001)
    project = Project(place_of(file)[0])
    try:
        description = describe(project.read(file))
        tools = _hosted(description, load(file))
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == file:
            _give_up("%s: %s" % (os.path.basename(file), error.strerror))
        print_trace(error)
        _give_up(describe_load_failure(error, file, folder))
    Host(wire, file, description, tools, files_of(file, project.files)).serve()


def _hosted(description, module):
    tools = {}
    for tool in description.tools:
        function = getattr(module, tool.name, None)
        if not callable(function):
            # Some decorators leave an object that keeps the function.
            function = getattr(function, "fn", getattr(function, "func", None))
        if callable(function):
            tools[tool.name] = HostedTool(tool, function)
        else:
            print("[%s is no function any more once the file is loaded; left out]" % tool.name)
    return tools


def _give_up(line):
    sys.stdout.flush()
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
    os._exit(1)


class Host:
    def __init__(self, wire, file, description, tools, files):
        self.wire = wire
        self.folder = os.path.dirname(file)
        self.name = os.path.splitext(os.path.basename(file))[0]
        self.description = description
        self.tools = tools
        self.files = files
        self.active = {}
        self.log_level = LEVELS[0]
        self.loop = Loop()
        self.workers = Workers(lambda call: run(self, call))
        self._list = json.dumps({"tools": [tool.definition for tool in tools.values()]}, separators=(",", ":"))

    def serve(self):
        for line in self.wire.lines():
            if line.strip():
                self._receive(line)
        # Whatever user code still does, nobody waits for it.
        os._exit(0)

    def _receive(self, line):
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            print("[a line that is no JSON was left out: %s]" % reason, file=sys.stderr)
            head = HEAD_ID.match(line)
            self.wire.refuse(int(head.group(1)) if head else None, -32700, "Parse error: " + reason)
            return
        if not isinstance(message, dict):
            self.wire.refuse(None, -32600, "Invalid request: not an object")
            return
        method, request = message.get("method"), message.get("id")
        params = message.get("params")
        if method is None and ("result" in message or "error" in message):
            self.wire.settle(message)
        elif not isinstance(method, str) or message.get("jsonrpc") != "2.0" or isinstance(request, (dict, list)):
            self.wire.refuse(None, -32600, "Invalid request")
        elif "id" not in message:
            self._notified(method, params if isinstance(params, dict) else {})
        else:
            self._answer(request, method, params if isinstance(params, dict) else {})

    def _answer(self, request, method, params):
        if method == "tools/call":
            self._call(request, params)
        elif method == "tools/list":
            self.wire.answer(request, self._list)
        elif method == "ping":
            self.wire.answer(request, "{}")
        elif method == "initialize":
            self.wire.answer(request, json.dumps(self._introduction(params)))
        elif method == "logging/setLevel":
            if params.get("level") not in LEVELS:
                self.wire.refuse(request, -32602, "there is no log level %s" % json.dumps(params.get("level")))
                return
            self.log_level = params["level"]
            self.wire.answer(request, "{}")
        else:
            self.wire.refuse(request, -32601, "Method not found: " + method)

    def _introduction(self, params):
        version = params.get("protocolVersion")
        answer = {
            "protocolVersion": version if version in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}, "logging": {}, "experimental": {"toolyard/files": {"files": self.files}}},
            "serverInfo": {"name": self.name, "version": self.description.version},
        }
        if self.description.instructions:
            answer["instructions"] = self.description.instructions
        return answer

    def _call(self, request, params):
        tool = self.tools.get(params.get("name")) if isinstance(params.get("name"), str) else None
        arguments = params.get("arguments", {})
        if tool is None:
            self.wire.refuse(request, -32602, "Unknown tool: %s" % json.dumps(params.get("name")))
            return
        if not isinstance(arguments, dict):
            self.wire.refuse(request, -32602, "The arguments of a tool are an object")
            return
        meta = params.get("_meta")
        call = Call(request, tool, arguments, meta.get("progressToken") if isinstance(meta, dict) else None)
        self.active[request] = call
        if tool.is_async:
            self.loop.submit(call, run_async(self, call))
        else:
            self.workers.submit(call)

    def context_of(self, call):
        return Context(call, self.wire, self.loop, lambda: self.log_level, self.name)

    def _notified(self, method, params):
        request = params.get("requestId")
        if method != "notifications/cancelled" or isinstance(request, (dict, list)):
            return
        call = self.active.pop(request, None)
        if call is None:
            return
        call.cancel(self.loop)
        if call.struck:
            self.workers.lose_one()
        threading.Thread(target=self._see_off, args=(call,), name="toolyard linger", daemon=True).start()

    def _see_off(self, call):
        """Waits for a cancelled call to end. One that can't be ended takes the host with it, once it is alone."""
        waited = 0.0
        while True:
            time.sleep(0.25)
            waited += 0.25
            if call.finished:
                return
            if call.task is not None and waited == 0.5:
                self.loop.strike_if_stuck(call.task)
            if waited >= LINGER_SECONDS and not self.active:
                _give_up(
                    "%s was cancelled and did not end within %d s; starting anew" % (call.tool.name, LINGER_SECONDS)
                )
