"""The small pieces that schemas are put together from."""
import ast

from .literal import NOTHING, to_constant

CONSTRAINTS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
    "minimum": "minimum", "maximum": "maximum", "pattern": "pattern", "regex": "pattern", "description": "description",
    "title": "title", "examples": "examples", "format": "format",
}
POSITIONAL = {
    "Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of", "MinLen": "min_length",
    "MaxLen": "max_length", "Doc": "description",
}
LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}
UNKNOWN_NOTE = "Python type "
REF = "#/$defs/"
# Keywords whose values are no schemas.
VALUES = {"default", "enum", "examples"}


def add_constraints(schema, call, scope):
    """`Field(ge=1, description="…")`, `Ge(1)` and the like."""
    callee = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if callee in POSITIONAL and call.args:
        given[POSITIONAL[callee]] = call.args[0]
    elif callee == "Len":
        given.update(zip(("min_length", "max_length"), call.args))
    # A dataclass has no other place for it than `field(metadata={"description": "…"})`.
    metadata = to_constant(given.get("metadata"), scope)
    if isinstance(metadata, dict) and isinstance(metadata.get("description"), str):
        schema["description"] = metadata["description"]
    for key, expression in given.items():
        value = to_constant(expression, scope)
        if value is NOTHING or value is None:
            continue
        if key in CONSTRAINTS:
            schema[CONSTRAINTS[key]] = value
        elif key in ("min_length", "max_length") and schema.get("type") in LENGTHS:
            schema[key[:3] + LENGTHS[schema["type"]]] = value


def union(schemas):
    flat = []
    for schema in schemas:
        for one in schema["anyOf"] if set(schema) == {"anyOf"} else [schema]:
            if one not in flat:
                flat.append(one)
    if {} in flat:
        return {}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def enum(values):
    if not values or NOTHING in values:
        return {}
    kinds = {_kind(value) for value in values}
    schema = {"type": kinds.pop()} if len(kinds) == 1 else {}
    return {**schema, "enum": values}


def _kind(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    if isinstance(value, dict):
        return "object"
    return "integer" if isinstance(value, int) else "number"


def unknown(expression):
    try:
        text = ast.unparse(expression)
    except RecursionError:
        text = "unknown"
    return {"description": UNKNOWN_NOTE + text[:200]}


def place(schema, once, defs):
    """The schema with each `$ref` to one of `once` replaced by what it refers to."""
    if isinstance(schema, list):
        return [place(item, once, defs) for item in schema]
    if not isinstance(schema, dict):
        return schema
    placed = {}
    for key, value in schema.items():
        if key == "properties":
            placed[key] = {name: place(item, once, defs) for name, item in value.items()}
        else:
            placed[key] = value if key in VALUES else place(value, once, defs)
    name = placed.get("$ref", "")[len(REF) :]
    if name in once:
        del placed["$ref"]
        return {**place(defs[name], once, defs), **placed}
    return placed
