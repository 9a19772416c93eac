"""Type annotations, as they are written, to JSON Schema."""
import ast

from .classes import class_schema, functional_schema
from .literal import to_constant
from .schema_parts import add_constraints, enum, place, union, unknown

SIMPLE = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": {"type": "string"},
    "AnyStr": {"type": "string"},
    "LiteralString": {"type": "string"},
    "Text": {"type": "string"},
    "bool": {"type": "boolean"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "bytearray": {"type": "string", "contentEncoding": "base64"},
    "memoryview": {"type": "string", "contentEncoding": "base64"},
    "None": {"type": "null"},
    "NoneType": {"type": "null"},
    "Any": {},
    "object": {},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "UUID": {"type": "string", "format": "uuid"},
    "Decimal": {"type": ["number", "string"]},
}
for _name in ("Path", "PurePath", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"):
    SIMPLE[_name] = {"type": "string"}

ARRAYS = {
    "list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "Generator", "AsyncIterator",
    "AsyncIterable", "AsyncGenerator", "deque", "Deque", "Container", "Reversible",
}
SETS = {"set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet"}
MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict", "Counter"}
# Say something about a type, not what its values look like.
TRANSPARENT = {
    "Final", "ClassVar", "InitVar", "Required", "NotRequired", "ReadOnly", "Awaitable", "Coroutine", "Unpack",
}
INTEGER_KEY = r"^-?[0-9]+$"
MAX_DEPTH = 40


class SchemaBuilder:
    """Builds the schemas of one tool in one direction. Classes used more than once stand under `$defs`."""

    def __init__(self, output=False):
        self.output = output
        self.defs = {}
        self.uses = {}
        self.known_classes = {}
        self.open_aliases = set()
        self.depth = 0

    def schema(self, expression, scope):
        if self.depth >= MAX_DEPTH:
            return {}
        self.depth += 1
        try:
            return self._schema(expression, scope)
        finally:
            self.depth -= 1

    def _schema(self, expression, scope):
        if isinstance(expression, ast.Constant):
            if expression.value is None:
                return {"type": "null"}
            if isinstance(expression.value, str):
                try:
                    return self.schema(ast.parse(expression.value.strip(), mode="eval").body, scope)
                except (SyntaxError, ValueError):
                    return unknown(expression)
            return unknown(expression)
        if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.BitOr):
            return union([self.schema(expression.left, scope), self.schema(expression.right, scope)])
        if isinstance(expression, ast.Subscript):
            index = expression.slice
            arguments = list(index.elts) if isinstance(index, ast.Tuple) else [index]
            return self._named(expression.value, arguments, expression, scope)
        if isinstance(expression, (ast.Name, ast.Attribute)):
            return self._named(expression, None, expression, scope)
        if isinstance(expression, ast.Call):
            return _or_unknown(functional_schema(self, expression, scope), expression)
        return unknown(expression)

    def _named(self, name, arguments, whole, scope):
        found = scope.resolve(name)
        if found.kind == "class":
            return _or_unknown(class_schema(self, found.value, found.scope), whole)
        if found.kind == "alias":
            return self._alias(found, whole)
        if found.kind == "known":
            known = self._known(found.value, arguments, scope)
            if known is not None:
                return known
        if isinstance(name, ast.Name) and len(name.id) == 1:
            return {}  # a type parameter: `def first[T](items: list[T])`
        return unknown(whole)

    def _alias(self, found, whole):
        if isinstance(found.value, ast.Call):
            return _or_unknown(functional_schema(self, found.value, found.scope), whole)
        if found.value in self.open_aliases:
            return {}  # `Json = Union[str, List["Json"]]` has no end
        self.open_aliases.add(found.value)
        try:
            return self.schema(found.value, found.scope)
        finally:
            self.open_aliases.discard(found.value)

    def _known(self, name, arguments, scope):
        if name in SIMPLE:
            simple = dict(SIMPLE[name])
            # What Python writes of these may lack the offset that the format asks for, or have a fraction it forbids.
            if self.output and simple.get("format") in ("date-time", "time", "duration"):
                del simple["format"]
            return simple
        if name in ARRAYS or name in SETS:
            array = {"type": "array"}
            if arguments:
                items = self.schema(arguments[0], scope)
                if items:
                    array["items"] = items
            if name in SETS:
                array["uniqueItems"] = True
            return array
        if name in ("tuple", "Tuple"):
            return self._tuple(arguments, scope)
        if name in MAPPINGS:
            return self._mapping(name, arguments, scope)
        if name == "Literal":
            return enum([to_constant(argument, scope) for argument in arguments or []])
        if name == "Optional" and arguments:
            return union([self.schema(arguments[0], scope), {"type": "null"}])
        if name == "Union" and arguments:
            return union([self.schema(argument, scope) for argument in arguments])
        if name == "Annotated" and arguments:
            return self._annotated(arguments, scope)
        if name in TRANSPARENT:
            return self.schema(arguments[-1], scope) if arguments else {}
        return None

    def _tuple(self, arguments, scope):
        if arguments is None:
            return {"type": "array"}
        if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple):
            arguments = []
        if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is Ellipsis:
            items = self.schema(arguments[0], scope)
            return {"type": "array", "items": items} if items else {"type": "array"}
        array = {"type": "array"}
        if arguments:
            array["prefixItems"] = [self.schema(argument, scope) for argument in arguments]
        return {**array, "minItems": len(arguments), "maxItems": len(arguments)}

    def _mapping(self, name, arguments, scope):
        mapping = {"type": "object"}
        values = {"type": "integer"} if name == "Counter" else {}
        if arguments and len(arguments) > 1:
            values = self.schema(arguments[1], scope)
        if values:
            mapping["additionalProperties"] = values
        keys = self.schema(arguments[0], scope) if arguments else {}
        if keys.get("type") == "integer":
            mapping["propertyNames"] = {"pattern": INTEGER_KEY}
        elif "enum" in keys:
            mapping["propertyNames"] = {"enum": [key for key in keys["enum"] if isinstance(key, str)]}
        return mapping

    def _annotated(self, arguments, scope):
        schema = dict(self.schema(arguments[0], scope))
        for extra in arguments[1:]:
            if isinstance(extra, ast.Constant) and isinstance(extra.value, str):
                schema["description"] = extra.value
            elif isinstance(extra, ast.Call):
                add_constraints(schema, extra, scope)
        return schema

    def finish(self, schema):
        """Puts the classes that were used once in their place and adds `$defs` for the others."""
        once = {name for name, uses in self.uses.items() if uses == 1}
        whole = place(schema, once, self.defs)
        kept = {name: place(self.defs[name], once, self.defs) for name in self.defs if name not in once}
        return {**whole, "$defs": kept} if kept else whole


def _or_unknown(schema, expression):
    return unknown(expression) if schema is None else schema
