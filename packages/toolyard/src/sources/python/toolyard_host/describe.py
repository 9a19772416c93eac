"""The tools of a source file, found by reading it: names, descriptions, parameters, schemas."""
import ast
from collections import namedtuple

from .docstring import parse_docstring
from .literal import NOTHING, to_constant
from .output_schema import output_schema
from .schema import SchemaBuilder
from .schema_parts import UNKNOWN_NOTE, union
from .scope import FUNCTIONS

# kind: "plain", "rest" (*args), "options" (**kwargs) or "context"; place: how it can be given, by "position", "name" or
# "either"; annotation: as it is written, for messages
Parameter = namedtuple("Parameter", "name kind place required annotation")
# output: None (no schema), "object" or "wrapped"
Tool = namedtuple("Tool", "name definition parameters output")
Description = namedtuple("Description", "tools instructions version")

CONTEXTS = {"Context", "ToolContext"}
CONTEXT_NAMES = {"ctx", "context"}


def describe(scope):
    exported = _exported(scope)
    tools = []
    for name, node in scope.names.items():
        if not isinstance(node, FUNCTIONS) or name.startswith("_") or (exported is not None and name not in exported):
            continue
        tools.append(_tool(node, scope))
    version = to_constant(scope.names.get("__version__"), scope) if _is_expression(scope, "__version__") else NOTHING
    return Description(
        tools,
        parse_docstring(ast.get_docstring(scope.tree)).description,
        version if isinstance(version, str) else "0.0.0",
    )


def _is_expression(scope, name):
    return isinstance(scope.names.get(name), ast.expr)


def _exported(scope):
    """The names in `__all__`, if the file has one that can be read."""
    names = None
    for node in scope.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and getattr(target, "id", None) == "__all__":
            value = to_constant(node.value, scope)
            if isinstance(value, list):
                names = (names or []) + value if isinstance(node, ast.AugAssign) else value
    return names


def _tool(node, scope):
    doc = parse_docstring(ast.get_docstring(node))
    builder = SchemaBuilder()
    properties, required, parameters = {}, [], []
    additional = False
    for argument, kind, place, default in _arguments(node.args):
        if kind == "plain" and _is_context(argument):
            parameters.append(Parameter(argument.arg, "context", place, False, ""))
            continue
        is_required = kind == "plain" and default is None
        annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
        parameters.append(Parameter(argument.arg, kind, place, is_required, annotation))
        schema = _parameter_schema(builder, argument, doc, scope)
        if kind == "options":
            additional = schema or True
            continue
        if kind == "rest":
            schema = {"type": "array", **({"items": schema} if schema else {})}
        constant = to_constant(default, scope)
        if constant is None and schema and argument.annotation is not None:
            schema = _nullable(schema)
        if constant is not NOTHING:
            schema = {**schema, "default": constant}
        text = _text(doc.parameters.get(argument.arg), schema.get("description"))
        properties[argument.arg] = {**schema, "description": text} if text else schema
        if is_required:
            required.append(argument.arg)
    whole = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    whole["additionalProperties"] = additional
    output, schema = output_schema(node.returns, doc.returns, scope)
    description = doc.description
    if doc.returns and output is None:
        description = (description + "\n\nReturns: " + doc.returns).strip()
    definition = {"name": node.name}
    if description:
        definition["description"] = description
    definition["inputSchema"] = builder.finish(whole)
    if schema is not None:
        definition["outputSchema"] = schema
    if any(line.strip().lower() == "read-only." for line in description.split("\n")):
        definition["annotations"] = {"readOnlyHint": True}
    return Tool(node.name, definition, parameters, output)


def _arguments(arguments):
    """(argument, kind, place, default)"""
    ordered = [(argument, "position") for argument in arguments.posonlyargs]
    ordered += [(argument, "either") for argument in arguments.args]
    defaults = [None] * (len(ordered) - len(arguments.defaults)) + list(arguments.defaults)
    for (argument, place), default in zip(ordered, defaults):
        yield argument, "plain", place, default
    if arguments.vararg:
        yield arguments.vararg, "rest", "position", None
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield argument, "plain", "name", default
    if arguments.kwarg:
        yield arguments.kwarg, "options", "name", None


def _is_context(argument):
    if argument.annotation is None:
        return argument.arg in CONTEXT_NAMES
    return any(
        (getattr(part, "attr", None) or getattr(part, "id", None)) in CONTEXTS
        or (isinstance(part, ast.Constant) and part.value in CONTEXTS)
        for part in ast.walk(argument.annotation)
    )


def _parameter_schema(builder, argument, doc, scope):
    if argument.annotation is not None:
        return builder.schema(argument.annotation, scope)
    written = doc.types.get(argument.arg, "").split(", optional")[0].split(", default")[0].strip()
    if not written:
        return {}
    try:
        schema = SchemaBuilder().schema(ast.parse(written, mode="eval").body, scope)
    except (SyntaxError, ValueError):
        return {}
    # A class would need its definition along, and nothing would make one of what is sent.
    is_clear = "description" not in schema and "$ref" not in schema
    return schema if is_clear else {}


def _nullable(schema):
    if schema.get("enum") is not None and None in schema["enum"]:
        return schema
    plain = {key: value for key, value in schema.items() if key != "description"}
    if not plain:
        return schema
    described = {"description": schema["description"]} if "description" in schema else {}
    return {**union([plain, {"type": "null"}]), **described}


def _text(documented, own):
    """What the docstring says of a parameter, what `Annotated` says, or the type that no schema was found for."""
    if not documented or not own:
        return documented or own
    return "%s (%s)" % (documented, own) if own.startswith(UNKNOWN_NOTE) else own
