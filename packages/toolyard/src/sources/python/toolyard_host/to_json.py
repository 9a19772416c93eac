"""What a function returned as plain JSON values, or a clear word on why that can't be."""
import base64
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import uuid

from .iso import from_timedelta

MAX_DEPTH = 400
ATOMS = {str, int, bool, type(None)}
LISTS = (list, tuple, collections.deque, range, collections.abc.KeysView, collections.abc.ValuesView)
BYTES = (bytes, bytearray, memoryview)


class NotJson(Exception):
    """A value that has no form in JSON; `path` is where it stands."""

    def __init__(self, problem):
        super().__init__(problem)
        self.problem = problem
        self.path = []

    def __str__(self):
        where = "".join("[%d]" % part if isinstance(part, int) else ".%s" % part for part in self.path)
        return "the result can't be sent as JSON: result%s %s" % (where, self.problem)


def to_json(value, depth=0):
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is float:
        if not math.isfinite(value):
            raise NotJson("is %r, which JSON has no number for" % value)
        return value
    if depth >= MAX_DEPTH:
        raise NotJson("is nested deeper than %d levels, or contains itself" % MAX_DEPTH)
    if kind is dict:
        return _object(value.items(), depth)
    if isinstance(value, enum.Enum):
        return to_json(value.value, depth + 1)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _object(zip(value._fields, value), depth)
    if isinstance(value, LISTS):
        return _array(value, depth)
    if isinstance(value, (set, frozenset, collections.abc.Set)):
        return _array(_in_order(value), depth)
    if isinstance(value, BYTES):
        return base64.b64encode(value).decode("ascii")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _object(((field.name, getattr(value, field.name)) for field in dataclasses.fields(value)), depth)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return from_timedelta(value)
    if isinstance(value, (decimal.Decimal, uuid.UUID, pathlib.PurePath)):
        return str(value)
    for base in (str, bool, int, float):
        if isinstance(value, base):
            return to_json(base(value), depth + 1)
    if isinstance(value, collections.abc.Mapping):
        return _object(value.items(), depth)
    return _foreign(value, depth)


def _foreign(value, depth):
    """Values of libraries that know how to become plain ones: pydantic's models, numpy's arrays and numbers."""
    if isinstance(value, type):
        raise NotJson("is the class %s" % value.__name__)
    if callable(getattr(value, "model_dump", None)):
        return to_json(value.model_dump(mode="json"), depth + 1)
    if callable(getattr(value, "tolist", None)):
        return to_json(value.tolist(), depth + 1)
    name = type(value).__qualname__
    raise NotJson("is of type %s; return a dict, a dataclass or another plain value instead" % name)


def _object(items, depth):
    result = {}
    for key, value in items:
        if type(key) is not str:
            key = _key(key)
        if type(value) in ATOMS:
            result[key] = value
            continue
        try:
            result[key] = to_json(value, depth + 1)
        except NotJson as error:
            error.path.insert(0, key)
            raise
    return result


def _array(items, depth):
    result = []
    for index, value in enumerate(items):
        if type(value) in ATOMS:
            result.append(value)
            continue
        try:
            result.append(to_json(value, depth + 1))
        except NotJson as error:
            error.path.insert(0, index)
            raise
    return result


def _key(key):
    if isinstance(key, enum.Enum):
        key = key.value
    plain = to_json(key)
    if isinstance(plain, bool) or plain is None:
        return {True: "true", False: "false", None: "null"}[plain]
    if isinstance(plain, (str, int, float)):
        return str(plain)
    raise NotJson("has a key of type %s" % type(key).__qualname__)


def _in_order(values):
    try:
        return sorted(values)
    except TypeError:
        return list(values)
