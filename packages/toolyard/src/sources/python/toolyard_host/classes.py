"""Classes, as they are written, to JSON Schema: dataclasses, TypedDict, NamedTuple, enums and the like."""
import ast
from collections import namedtuple

from .docstring import parse_docstring
from .literal import NOTHING, enum_members, to_constant
from .schema_parts import REF, add_constraints, enum

Field = namedtuple("Field", "annotation scope default required init description extras")

ENUMS = {"Enum", "IntEnum", "StrEnum"}
FLAGS = {"Flag", "IntFlag"}
RECORD_BASES = {"BaseModel", "Struct"}
RECORD_DECORATORS = {"dataclass", "define", "frozen", "mutable", "attrs"}
PLAIN_BASES = {"str", "int", "float", "bytes", "list", "dict", "set", "tuple", "datetime", "date", "Path", "UUID"}
FIELD_CALLS = {"field", "Field", "attrib", "ib"}
FACTORIES = {"list": [], "dict": {}, "set": [], "tuple": []}


def class_schema(builder, node, scope):
    """The schema of a class's values, or None if it is a class we know nothing of."""
    kind = kind_of(node, scope)
    if kind == "enum":
        members = enum_members(node, scope)
        values = [value for value in dict.fromkeys(map(_hashable, members.values()))]
        return _described(enum([_unhash(value) for value in values]) if values else {}, node)
    if kind == "flag":
        return {"type": "integer"}
    if kind in PLAIN_BASES:
        base = next(base for base in node.bases if kind_of_base(base, scope) == kind)
        return builder.schema(base, scope)
    if kind is None:
        return None
    return _record_ref(builder, scope.file + ":" + node.name, node.name, lambda: _record(builder, node, scope, kind))


def _record_ref(builder, identity, name, build):
    known = builder.known_classes
    if identity not in known:
        taken = set(known.values())
        known[identity] = next(n for n in (name + (str(i) if i else "") for i in range(1000)) if n not in taken)
        builder.defs[known[identity]] = {}
        builder.uses[known[identity]] = 0
        builder.defs[known[identity]] = build()
    builder.uses[known[identity]] += 1
    return {"$ref": REF + known[identity]}


def kind_of(node, scope, hops=0):
    if hops > 20:
        return None
    for decorator in node.decorator_list:
        if _last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) in RECORD_DECORATORS:
            return "record"
    kinds = [kind_of_base(base, scope, hops) for base in node.bases]
    for wanted in ("enum", "flag", "typeddict", "namedtuple", "record"):
        if wanted in kinds:
            return wanted
    return next((kind for kind in kinds if kind), None)


def kind_of_base(base, scope, hops=0):
    found = scope.resolve(base.value if isinstance(base, ast.Subscript) else base)
    if found.kind == "class":
        return kind_of(found.value, found.scope, hops + 1)
    if found.kind != "known":
        return None
    name = found.value
    if name in ENUMS:
        return "enum"
    if name in FLAGS:
        return "flag"
    if name in ("TypedDict", "NamedTuple"):
        return name.lower()
    if name in RECORD_BASES:
        return "record"
    return name if name in PLAIN_BASES else None


def _record(builder, node, scope, kind):
    return _described(_object(builder, fields_of(node, scope, kind), kind), node)


def _object(builder, fields, kind):
    properties, required = {}, []
    for name, field in fields.items():
        if not field.init and not builder.output:
            continue
        schema = dict(builder.schema(field.annotation, field.scope)) if field.annotation is not None else {}
        if field.extras is not None:
            add_constraints(schema, field.extras, field.scope)
        if field.default is not NOTHING and not builder.output:
            schema["default"] = field.default
        if field.description:
            schema.setdefault("description", field.description)
        properties[name] = schema
        # What comes out of a dataclass has all its fields.
        if field.required or (builder.output and kind != "typeddict"):
            required.append(name)
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if not builder.output:
        schema["additionalProperties"] = False
    return schema


def fields_of(node, scope, kind, hops=0):
    fields = {}
    for base in reversed(node.bases):
        found = scope.resolve(base.value if isinstance(base, ast.Subscript) else base)
        if found.kind == "class" and hops < 20:
            fields.update(fields_of(found.value, found.scope, kind, hops + 1))
    total = not any(k.arg == "total" and to_constant(k.value, scope) is False for k in node.keywords)
    described = parse_docstring(ast.get_docstring(node)).parameters
    for index, item in enumerate(node.body):
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        name, marker = item.target.id, _marker(item.annotation)
        if marker in ("ClassVar", "KW_ONLY"):
            continue
        below = node.body[index + 1] if index + 1 < len(node.body) else None
        text = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else None
        default, required, init = _default(item.value, scope)
        if kind == "typeddict":
            required = _is_required(item.annotation, total)
        description = text.strip() if isinstance(text, str) else described.get(name, "")
        extras = item.value if _is_field_call(item.value) else None
        fields[name] = Field(item.annotation, scope, default, required, init, description, extras)
    return fields


def _default(value, scope):
    """(default as JSON or NOTHING, whether the field must be given, whether it can be)"""
    if value is None:
        return NOTHING, True, True
    if not _is_field_call(value):
        return to_constant(value, scope), False, True
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    init = to_constant(given.get("init"), scope) is not False
    default = given.get("default", value.args[0] if value.args else None)
    if isinstance(default, ast.Constant) and default.value is Ellipsis:
        default = None
    if default is not None:
        return to_constant(default, scope), False, init
    factory = given.get("default_factory", given.get("factory"))
    if factory is not None:
        return FACTORIES.get(_last_name(factory), NOTHING), False, init
    return NOTHING, True, init


def _is_field_call(value):
    return isinstance(value, ast.Call) and _last_name(value.func) in FIELD_CALLS


def functional_schema(builder, call, scope):
    """Types made by a call: `NewType("Id", int)`, `TypedDict("P", {…})`, `NamedTuple("P", […])`, `Enum("E", "A B")`."""
    callee = scope.resolve(call.func)
    name = callee.value if callee.kind == "known" else None
    second = call.args[1] if len(call.args) > 1 else None
    if name in ("TypeVar", "ParamSpec"):
        bound = next((keyword.value for keyword in call.keywords if keyword.arg == "bound"), None)
        return builder.schema(bound, scope) if bound is not None else {}
    if second is None:
        return None
    if name in ("NewType", "TypeAliasType"):
        return builder.schema(second, scope)
    if name == "TypedDict" and isinstance(second, ast.Dict):
        total = not any(k.arg == "total" and to_constant(k.value, scope) is False for k in call.keywords)
        fields = {
            to_constant(key, scope): _plain(value, scope, _is_required(value, total))
            for key, value in zip(second.keys, second.values)
        }
        return _object(builder, fields, "typeddict")
    if name == "NamedTuple" and isinstance(second, (ast.List, ast.Tuple)):
        pairs = [pair.elts for pair in second.elts if isinstance(pair, ast.Tuple) and len(pair.elts) == 2]
        fields = {to_constant(key, scope): _plain(kind, scope) for key, kind in pairs}
        return _object(builder, fields, "namedtuple")
    names = to_constant(second, scope)
    names = names.replace(",", " ").split() if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        return None
    if name == "namedtuple":
        return _object(builder, {one: _plain(None, scope) for one in names}, "namedtuple")
    if name in ENUMS:
        return enum([one.lower() for one in names] if name == "StrEnum" else list(range(1, len(names) + 1)))
    return None


def _plain(annotation, scope, required=True):
    return Field(annotation, scope, NOTHING, required, True, "", None)


def _is_required(annotation, total):
    marker = _marker(annotation)
    return marker == "Required" or (total and marker != "NotRequired")


def _described(schema, node):
    text = parse_docstring(ast.get_docstring(node)).description
    return {**schema, "description": text} if text and schema else schema


def _marker(annotation):
    """The outermost word of an annotation, looking into `Annotated[…]`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value.strip(), mode="eval").body
        except SyntaxError:
            return None
    word = _last_name(annotation.value if isinstance(annotation, ast.Subscript) else annotation)
    if word in ("Annotated", "ReadOnly") and isinstance(annotation, ast.Subscript):
        inner = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
        return _marker(inner)
    return word


def _last_name(expression):
    return getattr(expression, "attr", None) or getattr(expression, "id", None)


def _hashable(value):
    return tuple(value) if isinstance(value, list) else value


def _unhash(value):
    return list(value) if isinstance(value, tuple) else value
