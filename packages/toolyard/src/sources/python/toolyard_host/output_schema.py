"""The schema of what a function returns, as MCP wants it: always an object, so anything else is wrapped in one."""
import ast

from .schema import SchemaBuilder

NO_OUTPUT = {"None", "Any", "object", "bytes", "bytearray", "memoryview", "Never", "NoReturn"}


def output_schema(expression, text, scope):
    """(None, "object" or "wrapped"; the schema) of what a function returns; `text` is what its docstring says of it."""
    if expression is None or _says_nothing(expression, scope):
        return None, None
    builder = SchemaBuilder(output=True)
    schema = builder.schema(expression, scope)
    finished = builder.finish(schema)
    if not set(finished) - {"description"}:
        return None, None
    if finished.get("type") == "object":
        if text:
            finished["description"] = text
        return "object", finished
    resolved = builder.defs.get(finished.get("$ref", "").rpartition("/")[2], {})
    if resolved.get("type") == "object":
        # The root itself has to say that it is an object.
        defs = finished.pop("$defs")
        return "object", {"type": "object", **finished, "$defs": defs}
    defs = finished.pop("$defs", None)
    if text:
        finished["description"] = text
    wrapped = {"type": "object", "properties": {"result": finished}, "required": ["result"], "x-toolyard-wrapped": True}
    return "wrapped", ({**wrapped, "$defs": defs} if defs else wrapped)


def _says_nothing(expression, scope, hops=0):
    """True for what has no schema: nothing, anything, bytes, or a choice with one of these but None."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        try:
            expression = ast.parse(expression.value.strip(), mode="eval").body
        except SyntaxError:
            return True
    if isinstance(expression, ast.Constant):
        return expression.value is None
    parts = _choices(expression, scope)
    if parts:
        some = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
        return any(_says_nothing(part, scope, hops + 1) for part in some)
    if isinstance(expression, (ast.Name, ast.Attribute)) and hops < 20:
        found = scope.resolve(expression)
        if found.kind == "alias" and not isinstance(found.value, ast.Call):
            return _says_nothing(found.value, found.scope, hops + 1)
        return found.kind == "known" and found.value in NO_OUTPUT
    return False


def _choices(expression, scope):
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if not isinstance(expression, ast.Subscript):
        return []
    found = scope.resolve(expression.value)
    inside = list(expression.slice.elts) if isinstance(expression.slice, ast.Tuple) else [expression.slice]
    if found.kind == "known" and found.value in ("Union", "Optional"):
        return inside
    if found.kind == "known" and found.value in ("Annotated", "Awaitable"):
        return inside[:1]
    return []
