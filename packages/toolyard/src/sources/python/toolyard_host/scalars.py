"""Converters of single JSON values, and what all converters are made with."""
import base64
import binascii
import datetime
import decimal
import enum
import uuid

from . import iso
from .mismatch import Mismatch

NoneType = type(None)


def as_it_is(value):
    return value


def inside(converter, value, part):
    if converter is None:
        return value
    try:
        return converter(value)
    except Mismatch as mismatch:
        raise mismatch.within(part)


def each(converter, values):
    return [inside(converter, value, index) for index, value in enumerate(values)]


def attempt(build, value, name):
    """Builds a value of the user's own; what it says against it is the problem."""
    try:
        return build(value)
    except Mismatch:
        raise
    except Exception as error:
        raise Mismatch(name, problem="does not make a %s: %s" % (name, error)) from error


def exactly(kind):
    name = "None" if kind is NoneType else kind.__name__

    def convert(value):
        if type(value) is not kind:
            raise Mismatch(name, value)
        return value

    return convert


def to_int(value):
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise Mismatch("int", value)


def to_float(value):
    # An int is as good to Python where a float is asked for, and JSON writes 3.0 as 3.
    if type(value) in (float, int):
        return value
    raise Mismatch("float", value)


def to_bytes(value, build=bytes):
    if not isinstance(value, str):
        raise Mismatch("bytes as base64", value)
    try:
        return build(base64.b64decode(value, validate=True))
    except (binascii.Error, ValueError):
        raise Mismatch("bytes as base64", value) from None


def to_decimal(value):
    if type(value) in (int, float, str):
        try:
            return decimal.Decimal(value if isinstance(value, (int, str)) else repr(value))
        except decimal.InvalidOperation:
            pass
    raise Mismatch("Decimal", value)


def text_to(build, name, kinds=(str,)):
    def convert(value):
        if type(value) not in kinds:
            raise Mismatch(name, value)
        try:
            return build(value)
        except (ValueError, TypeError, OverflowError):
            raise Mismatch(name, value) from None

    return convert


def to_enum(cls, value):
    for member in cls:
        if json_like(member.value) == value and isinstance(value, bool) == isinstance(member.value, bool):
            return member
    if isinstance(value, str) and value in cls.__members__:
        return cls.__members__[value]
    if issubclass(cls, enum.Flag) and type(value) is int:
        return attempt(cls, value, cls.__name__)
    raise Mismatch("one of " + ", ".join(repr(json_like(member.value)) for member in cls), value)


def literal(options, name):
    def convert(value):
        for option in options:
            plain = json_like(option.value if isinstance(option, enum.Enum) else option)
            if plain == value and type(plain) is type(value):
                return option
        raise Mismatch(name, value)

    return convert


def json_like(value):
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    return list(value) if isinstance(value, tuple) else value


def to_key(converter, key):
    """JSON's keys are text: a number is read from it where one is wanted."""
    if converter is None:
        return key
    for candidate in (str, int, float):
        try:
            return converter(candidate(key))
        except (Mismatch, ValueError):
            continue
    return inside(converter, key, key)


SIMPLE = {
    int: to_int,
    float: to_float,
    bytes: to_bytes,
    bytearray: lambda value: to_bytes(value, bytearray),
    memoryview: lambda value: to_bytes(value, memoryview),
    decimal.Decimal: to_decimal,
    uuid.UUID: text_to(uuid.UUID, "UUID"),
    datetime.datetime: text_to(iso.to_datetime, "datetime (ISO 8601)"),
    datetime.date: text_to(iso.to_date, "date (YYYY-MM-DD)"),
    datetime.time: text_to(iso.to_time, "time (HH:MM:SS)"),
    datetime.timedelta: text_to(iso.to_timedelta, "timedelta (ISO 8601 duration)", (str, int, float)),
}
