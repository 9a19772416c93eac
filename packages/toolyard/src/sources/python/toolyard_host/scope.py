"""What the names in source files mean, found by reading and never by running them. Imports are followed to files of
the same project."""
import ast
import builtins
import os
import sys
from collections import namedtuple

# kind: "known" (value: bare name of a well-known type), "class" (ClassDef), "alias" (expression), "module" (Scope or
# dotted name), "function" (definition) or "unknown" (None)
Found = namedtuple("Found", "kind value scope")
Imported = namedtuple("Imported", "module name level")
UNKNOWN = Found("unknown", None, None)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TYPE_ALIAS = getattr(ast, "TypeAlias", ())
KNOWN_MODULES = {
    "typing", "typing_extensions", "collections", "collections.abc", "datetime", "uuid", "pathlib", "decimal", "enum",
    "dataclasses", "builtins", "types", "annotated_types", "pydantic", "attr", "attrs", "msgspec", "toolyard",
}
# The standard library is found before the project's own modules: see load.py.
STDLIB = getattr(sys, "stdlib_module_names", KNOWN_MODULES)
MAX_HOPS = 50


class Project:
    """The source files that have been read. `root` is where absolute imports of local modules start."""

    def __init__(self, root):
        self.root = root
        self.files = set()
        self._scopes = {}

    def read(self, file):
        """The scope of a file; raises what parsing raises."""
        if file not in self._scopes:
            with open(file, "rb") as source:
                tree = ast.parse(source.read(), file)
            self.files.add(file)
            self._scopes[file] = Scope(self, file, tree)
        return self._scopes[file]

    def module(self, path):
        """The scope of a local module or package at a path without extension, if there is one."""
        for candidate in (path + ".py", os.path.join(path, "__init__.py")):
            if os.path.isfile(candidate):
                try:
                    return self.read(candidate)
                except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
                    # Whether that matters is for the import to say.
                    return None
        return None


class Scope:
    """The names that a source file defines at its top level."""

    def __init__(self, project, file, tree):
        self.project = project
        self.file = file
        self.tree = tree
        self.names = {}
        self.stars = []
        self._collect(tree.body)

    def _collect(self, body):
        for node in body:
            if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
                self.names[node.name] = node
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.names[target.id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.names[node.target.id] = node.value
            elif TYPE_ALIAS and isinstance(node, TYPE_ALIAS):
                self.names[node.name.id] = node.value
            elif isinstance(node, ast.Import):
                for name in node.names:
                    bound = name.asname or name.name.split(".")[0]
                    self.names[bound] = Imported(name.name if name.asname else bound, None, 0)
            elif isinstance(node, ast.ImportFrom):
                for name in node.names:
                    if name.name == "*":
                        self.stars.append(Imported(node.module or "", None, node.level))
                    else:
                        self.names[name.asname or name.name] = Imported(node.module or "", name.name, node.level)
            elif isinstance(node, ast.If) and not _is_main_test(node.test):
                self._collect(node.body)
                self._collect(node.orelse)
            elif isinstance(node, ast.Try):
                for handler in node.handlers:
                    self._collect(handler.body)
                self._collect(node.orelse)
                self._collect(node.finalbody)
                self._collect(node.body)
            elif isinstance(node, ast.With):
                self._collect(node.body)

    def resolve(self, expression, hops=0):
        """What a (dotted) name stands for."""
        if hops > MAX_HOPS:
            return UNKNOWN
        if isinstance(expression, ast.Name):
            return self.lookup(expression.id, hops + 1)
        if isinstance(expression, ast.Attribute):
            base = self.resolve(expression.value, hops + 1)
            if base.kind == "module":
                return _member(base.value, expression.attr, hops + 1)
            if base.kind == "class":
                for node in base.value.body:
                    if isinstance(node, ast.ClassDef) and node.name == expression.attr:
                        return Found("class", node, base.scope)
        return UNKNOWN

    def lookup(self, name, hops=0):
        if hops > MAX_HOPS:
            return UNKNOWN
        node = self.names.get(name)
        if isinstance(node, Imported):
            return self._imported(node, hops + 1)
        if isinstance(node, ast.ClassDef):
            return Found("class", node, self)
        if isinstance(node, FUNCTIONS):
            return Found("function", node, self)
        if node is not None:
            return Found("alias", node, self)
        for star in self.stars:
            module = self._module(star)
            if isinstance(module, Scope) and module is not self:
                found = module.lookup(name, hops + 1)
                if found.kind not in ("unknown", "known"):
                    return found
        # Not defined anywhere: a builtin, or a well-known name whose import is missing or comes with a star.
        return Found("known", name, None) if self.stars or hasattr(builtins, name) or name[:1].isupper() else UNKNOWN

    def _imported(self, imported, hops):
        module = self._module(imported)
        if imported.name is None:
            return Found("module", module, self)
        if not isinstance(module, Scope) and os.path.isabs(module):
            below = self.project.module(os.path.join(module, imported.name))
            return Found("module", below, self) if below else UNKNOWN
        return _member(module, imported.name, hops + 1)

    def _module(self, imported):
        """The scope of a local module, the path of a folder of such, or the dotted name of any other module."""
        parts = [part for part in imported.module.split(".") if part]
        if not imported.level and parts[0] in STDLIB:
            return imported.module
        if imported.level:
            folder = os.path.dirname(self.file)
            for _ in range(imported.level - 1):
                folder = os.path.dirname(folder)
        else:
            folder = self.project.root
        path = os.path.join(folder, *parts)
        return self.project.module(path) or (path if imported.level or os.path.isdir(path) else imported.module)


def _member(module, name, hops):
    if isinstance(module, Scope):
        if name in module.names or module.stars:
            found = module.lookup(name, hops)
            if found.kind != "unknown":
                return found
        below = module.project.module(os.path.join(os.path.dirname(module.file), name))
        is_package = os.path.basename(module.file) == "__init__.py"
        return Found("module", below, module) if below and is_package else UNKNOWN
    if os.path.isabs(module):
        return UNKNOWN
    if module in KNOWN_MODULES:
        if module == "collections" and name == "abc":
            return Found("module", "collections.abc", None)
        return Found("known", name, None)
    return UNKNOWN


def _is_main_test(test):
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))
