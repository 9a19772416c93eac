"""The annotations of a function or class as run-time types; one that can't be had is `Any` and spoils no other."""
import ast
import sys
import typing


def hints_of(thing):
    try:
        return typing.get_type_hints(thing)
    except Exception:
        pass
    hints = {}
    owners = reversed(thing.__mro__) if isinstance(thing, type) else [thing]
    for owner in owners:
        try:
            annotations = dict(vars(owner).get("__annotations__") or getattr(owner, "__annotations__", {}))
        except Exception:
            # From 3.14 on annotations are computed when they are looked at, all or none.
            annotations = {}
        names = _names(owner)
        for name, hint in annotations.items():
            hints[name] = evaluate(hint, names)
    return hints


def evaluate(hint, names):
    """A hint that may still be text. `X | Y` in text works before 3.10 too."""
    text = getattr(hint, "__forward_arg__", hint)
    if not isinstance(text, str):
        return hint
    try:
        tree = _Unions().visit(ast.parse(text.strip(), mode="eval"))
        code = compile(ast.fix_missing_locations(tree), "<annotation>", "eval")
        return eval(code, dict(names, __Union=typing.Union))
    except Exception:
        return typing.Any


def _names(owner):
    module = sys.modules.get(getattr(owner, "__module__", ""), None)
    return getattr(owner, "__globals__", None) or getattr(module, "__dict__", {})


class _Unions(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.BitOr):
            return node
        both = ast.Tuple(elts=[node.left, node.right], ctx=ast.Load())
        return ast.Subscript(value=ast.Name(id="__Union", ctx=ast.Load()), slice=both, ctx=ast.Load())
