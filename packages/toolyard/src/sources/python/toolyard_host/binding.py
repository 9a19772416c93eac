"""A tool as it runs: its function, and how the arguments of a call become those of the function."""
import inspect

from .coerce import Converters
from .hints import hints_of
from .mismatch import Mismatch
from .scalars import each, inside


class HostedTool:
    def __init__(self, tool, function):
        self.name = tool.name
        self.definition = tool.definition
        self.output = tool.output
        self.function = function
        self.parameters = tool.parameters
        self._by_name = {parameter.name: parameter for parameter in tool.parameters if parameter.kind != "context"}
        self._options = next((one for one in tool.parameters if one.kind == "options"), None)
        self._converters = None
        self.is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)

    def bind(self, arguments, context):
        """(positional, named) arguments; raises `Mismatch`."""
        converters = self._converters
        if converters is None:
            converters = self._converters = self._make_converters()
        self._refuse_strangers(arguments)
        rest = next((one.name for one in self.parameters if one.kind == "rest" and arguments.get(one.name)), None)
        positional, named = [], {}
        skipped = []
        for parameter in self.parameters:
            name, kind = parameter.name, parameter.kind
            if kind == "options":
                continue
            by_position = parameter.place == "position" or (parameter.place == "either" and rest is not None)
            if kind == "context":
                value = context
            elif name not in arguments:
                if parameter.required:
                    raise Mismatch(parameter.annotation, problem=_missing(parameter)).within(name)
                if by_position and kind == "plain":
                    # Needed after all if one that stands behind it is given.
                    skipped.append(name)
                continue
            else:
                value = self._convert(converters, parameter, arguments[name])
            if not by_position:
                named[name] = value
                continue
            while skipped:
                positional.append(self._default(skipped.pop(0)))
            if kind == "rest":
                positional.extend(value)
            else:
                positional.append(value)
        if self._options is not None:
            converter = converters.get(self._options.name)
            for name, value in arguments.items():
                if name not in self._by_name or name == self._options.name:
                    named[name] = inside(converter, value, name)
        return positional, named

    def _convert(self, converters, parameter, value):
        converter = converters.get(parameter.name)
        if parameter.kind == "rest":
            if not isinstance(value, list):
                raise Mismatch("a list", value).within(parameter.name)
            return inside(lambda items: each(converter, items), value, parameter.name)
        if value is None and not parameter.required and self._default(parameter.name) is None:
            return None
        return inside(converter, value, parameter.name)

    def _refuse_strangers(self, arguments):
        if self._options is not None:
            return
        for name in arguments:
            if name not in self._by_name:
                takes = ", ".join(self._by_name) or "no arguments"
                raise Mismatch("", problem="is no parameter of %s, which takes %s" % (self.name, takes)).within(name)

    def _default(self, name):
        try:
            return inspect.signature(self.function).parameters[name].default
        except (KeyError, ValueError, TypeError):
            return None

    def _make_converters(self):
        function = inspect.unwrap(self.function)
        made = Converters(getattr(function, "__globals__", {}))
        hints = hints_of(function)
        return {name: made.of(hints[name]) for name in self._by_name if name in hints}


def _missing(parameter):
    return "is missing" + (" (%s)" % parameter.annotation if parameter.annotation else "")
