"""JSON values to the types that functions ask for. A converter is a function of one value; None means "as it is"."""
import collections
import collections.abc
import dataclasses
import enum
import pathlib
import typing

from .hints import evaluate, hints_of
from .mismatch import Mismatch, name_of
from .scalars import SIMPLE, NoneType, as_it_is, attempt, each, exactly, inside, literal, text_to, to_enum, to_key

ABC = collections.abc
LISTS = {
    list, collections.deque, ABC.Sequence, ABC.MutableSequence, ABC.Iterable, ABC.Collection, ABC.Iterator,
    ABC.Reversible, ABC.Container,
}
SETS = {set, frozenset, ABC.Set, ABC.MutableSet}
MAPPINGS = {
    dict, collections.OrderedDict, collections.defaultdict, collections.Counter, ABC.Mapping, ABC.MutableMapping,
}
WRAPPERS = {"Required", "NotRequired", "ReadOnly", "Final", "ClassVar", "Annotated"}
PLAIN = (str, bool, NoneType)


class Converters:
    """Converters by type, made when first asked for. `names` are what annotations in text may refer to."""

    def __init__(self, names):
        self.names = names
        self.made = {}

    def of(self, hint):
        try:
            if hint not in self.made:
                # A type that contains itself finds this while it is being made.
                self.made[hint] = lambda value: self.made[hint](value)
                self.made[hint] = self._make(hint)
            made = self.made[hint]
        except TypeError:  # not hashable
            made = self._make(hint)
        return None if made is as_it_is else made

    def _make(self, hint):
        try:
            return self._understand(hint) or as_it_is
        except Mismatch:
            raise
        except Exception:
            return as_it_is  # a kind of type that we have never heard of

    def _understand(self, hint):
        hint = evaluate(hint, self.names)
        while True:
            if hasattr(hint, "__supertype__"):  # NewType
                hint = hint.__supertype__
            elif type(hint).__name__ == "TypeAliasType":
                hint = hint.__value__
            elif isinstance(hint, dataclasses.InitVar):
                hint = hint.type
            else:
                break
        if hint is None or hint in PLAIN:
            return exactly(NoneType if hint is None else hint)
        origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
        if getattr(origin, "__name__", getattr(origin, "_name", "")) in WRAPPERS and arguments:
            return self.of(arguments[0])
        if origin is typing.Literal:
            return literal(arguments, name_of(hint))
        if origin is typing.Union or type(hint).__name__ == "UnionType":
            return self._union(arguments, name_of(hint))
        if origin in SIMPLE:
            return SIMPLE[origin]
        if not isinstance(origin, type):
            return None
        if origin is tuple:
            return self._tuple(arguments, name_of(hint))
        if origin in LISTS or origin in SETS:
            return self._items(origin, arguments, name_of(hint))
        if origin in MAPPINGS:
            return self._mapping(origin, arguments, name_of(hint))
        return self._class(origin)

    def _class(self, cls):
        if issubclass(cls, enum.Enum):
            return lambda value: to_enum(cls, value)
        if issubclass(cls, pathlib.PurePath):
            return text_to(cls, cls.__name__)
        if callable(getattr(cls, "model_validate", None)):
            return lambda value: attempt(cls.model_validate, value, cls.__name__)
        if dataclasses.is_dataclass(cls):
            fields = [field for field in dataclasses.fields(cls) if field.init]
            required = {
                field.name
                for field in fields
                if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            }
            hints = hints_of(cls)
            known = {field.name: hints.get(field.name, typing.Any) for field in fields}
            # What only `__init__` gets is no field.
            known.update((name, hint) for name, hint in hints.items() if isinstance(hint, dataclasses.InitVar))
            return self._record(cls, known, required, cls)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            hints = {name: hints_of(cls).get(name, typing.Any) for name in cls._fields}
            record = self._record(cls, hints, set(cls._fields) - set(cls._field_defaults), cls)
            return lambda value: record(dict(zip(cls._fields, value)) if isinstance(value, list) else value)
        if issubclass(cls, dict) and hasattr(cls, "__required_keys__"):
            return self._record(cls, hints_of(cls), set(cls.__required_keys__), dict)
        return None

    def _record(self, cls, hints, required, build):
        converters = {name: self.of(hint) for name, hint in hints.items()}
        open_ended = build is dict

        def convert(value):
            if not isinstance(value, dict):
                raise Mismatch(cls.__name__, value)
            for name in required:
                if name not in value:
                    raise Mismatch(cls.__name__, problem="is missing (%s)" % cls.__name__).within(name)
            fields = {}
            for name, item in value.items():
                if name not in converters and not open_ended:
                    raise Mismatch(cls.__name__, problem="is no field of %s" % cls.__name__).within(name)
                fields[name] = inside(converters.get(name), item, name)
            return attempt(lambda given: build(**given), fields, cls.__name__)

        return convert

    def _union(self, arguments, name):
        members = [(argument, self.of(argument)) for argument in arguments]
        exact = {argument for argument in arguments if argument in (int, float, str, bool, NoneType)}

        def convert(value):
            if type(value) in exact:
                return value
            closest = None
            for _, converter in members:
                if converter is None:
                    return value
                try:
                    return converter(value)
                except Mismatch as mismatch:
                    # The one that got furthest says best what is wrong.
                    if mismatch.path and (closest is None or len(mismatch.path) > len(closest.path)):
                        closest = mismatch
            raise closest or Mismatch(name, value)

        return convert

    def _tuple(self, arguments, name):
        if not arguments or (len(arguments) == 2 and arguments[1] is Ellipsis):
            return self._items(tuple, arguments[:1], name)
        if arguments == ((),):
            arguments = ()
        converters = [self.of(argument) for argument in arguments]

        def convert(value):
            if not isinstance(value, list) or len(value) != len(converters):
                raise Mismatch(name, value)
            return tuple(inside(converters[index], item, index) for index, item in enumerate(value))

        return convert

    def _items(self, origin, arguments, name):
        converter = self.of(arguments[0]) if arguments else None
        build = set if origin in SETS else list
        if origin in (tuple, frozenset, collections.deque):
            build = origin
        elif origin is ABC.Iterator:
            build = iter

        def convert(value):
            if not isinstance(value, list):
                raise Mismatch(name, value)
            if converter is not None:
                value = each(converter, value)
            return attempt(build, value, name)

        return convert

    def _mapping(self, origin, arguments, name):
        counts = origin is collections.Counter
        key = self.of(arguments[0]) if arguments else None
        item = self.of(int if counts else arguments[1]) if len(arguments) > 1 or counts else None
        # A factory for what is missing is not ours to know.
        build = origin if origin in (collections.OrderedDict, collections.Counter) else dict

        def convert(value):
            if not isinstance(value, dict):
                raise Mismatch(name, value)
            if key is None and item is None:
                return build(value)
            return build((to_key(key, one), inside(item, other, one)) for one, other in value.items())

        return convert
