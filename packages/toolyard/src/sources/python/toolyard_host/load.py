"""Loads the user's file, from its source as it is now, and knows which of the loaded files are the user's."""
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

from .context import Cancelled, Context, Declined, ToolError
from .failure import is_users

# What Python itself starts with, `sitecustomize` for one, is nobody's server.
AT_START = frozenset(sys.modules)
STDLIB = getattr(sys, "stdlib_module_names", frozenset(sys.builtin_module_names))


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Neither reads nor writes compiled files: they are told apart by the second, and edits come faster than that."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def place_of(file):
    """(folder where imports start, dotted name) of a file, which may be part of a package."""
    folder, name = os.path.split(file)
    names = [os.path.splitext(name)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder, package = os.path.split(folder)
        names.insert(0, package)
    return folder, ".".join(names)


def load(file):
    root, name = place_of(file)
    sys.argv = [file]
    # After Python's own modules, so that a server called `calendar.py` or `email.py` breaks none of them; before
    # installed packages, as a script's folder is.
    index = next((i for i, path in enumerate(sys.path) if "-packages" in os.path.basename(path)), len(sys.path))
    sys.path.insert(index, root)
    sys.path_hooks.insert(0, _finder_for(root))
    importlib.invalidate_caches()
    if importlib.util.find_spec("toolyard") is None:
        sys.modules["toolyard"] = _toolyard_module()
    package = name.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    elif name in sys.modules or name in STDLIB:
        name = "toolyard_server_" + name
    spec = importlib.util.spec_from_file_location(name, file, loader=SourceLoader(name, file))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def files_of(file, read):
    """Every file of the user's that what is offered depends on."""
    files = {file} | set(read)
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if name in AT_START:
            continue
        if isinstance(path, str) and os.path.isabs(path) and is_users(path):
            files.add(path)
    return sorted(files)


def _finder_for(root):
    plain = importlib.machinery.FileFinder.path_hook(
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
        (SourceLoader, importlib.machinery.SOURCE_SUFFIXES),
    )

    def finder(path):
        inside = os.path.abspath(path)
        if inside != root and not inside.startswith(root + os.sep) or not is_users(inside):
            raise ImportError("not a folder of the project")
        return plain(path)

    return finder


def _toolyard_module():
    """What a file may import to name the type of its context, and to catch what comes of it."""
    module = types.ModuleType("toolyard", "What toolyard offers to the functions that it serves.")
    module.Context = module.ToolContext = Context
    module.Cancelled, module.Declined, module.ToolError = Cancelled, Declined, ToolError
    return module
