"""Constants in source code as JSON values."""
import ast
import base64
import math

NOTHING = object()


def to_constant(expression, scope, hops=0):
    """The JSON value that an expression always has, or NOTHING: constants, enum members, names of such."""
    if expression is None or hops > 10:
        return NOTHING
    try:
        return _to_json(ast.literal_eval(expression))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        pass
    if isinstance(expression, ast.Attribute):
        owner = scope.resolve(expression.value)
        if owner.kind == "class":
            return enum_members(owner.value, owner.scope).get(expression.attr, NOTHING)
        if expression.attr == "value":
            return to_constant(expression.value, scope, hops + 1)
    if isinstance(expression, (ast.Name, ast.Attribute)):
        found = scope.resolve(expression)
        if found.kind == "alias":
            return to_constant(found.value, found.scope, hops + 1)
    return NOTHING


def enum_members(node, scope):
    """Name → JSON value of an enum's members; a computed one is NOTHING."""
    members = {}
    lowered = any(_last_name(base) == "StrEnum" for base in node.bases)
    last = 0
    for item in node.body:
        if not isinstance(item, ast.Assign) or not isinstance(item.targets[0], ast.Name):
            continue
        name = item.targets[0].id
        if name.startswith("_"):
            continue
        if isinstance(item.value, ast.Call) and _last_name(item.value.func) == "auto":
            value = name.lower() if lowered else (last + 1 if isinstance(last, int) else NOTHING)
        else:
            value = to_constant(item.value, scope)
        last = value
        members[name] = value
    return members


def _last_name(expression):
    return getattr(expression, "attr", None) or getattr(expression, "id", None)


def _to_json(value):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_to_json(item) for item in value]
    if isinstance(value, set):
        return sorted(_to_json(item) for item in value)
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _to_json(item) for key, item in value.items()}
    raise ValueError(value)
