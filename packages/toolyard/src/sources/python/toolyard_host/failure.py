"""Exceptions as text: what happened, where in the user's own files, and what caused it."""
import linecache
import os
import sysconfig

from .mismatch import Mismatch
from .to_json import NotJson

HOST = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = tuple(
    os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
MAX_TEXT = 20_000
MAX_CAUSES = 10


def is_users(file):
    """Whether a file is the user's own: not Python's, not a package's, not ours."""
    path = os.path.realpath(file)
    parts = path.split(os.sep)
    return (
        not file.startswith("<")
        and "site-packages" not in parts
        and "dist-packages" not in parts
        and not path.startswith(LIBRARIES + (HOST + os.sep,))
    )


def relative_name(file, folder):
    """How a file is called in messages."""
    try:
        path = os.path.relpath(file, folder)
    except ValueError:  # another drive
        return file
    return file if path.startswith("..") else path


def describe_failure(error, folder):
    """The text of an `isError` result."""
    if isinstance(error, Mismatch) and error.path:
        return "Invalid argument " + str(error)
    if isinstance(error, NotJson):
        return str(error)
    lines = [_headline(error)]
    place = _place(error, folder)
    if place:
        lines.append(place)
    seen = {id(error)}
    for inner in getattr(error, "exceptions", None) or ():
        if isinstance(inner, BaseException) and len(seen) < MAX_CAUSES:
            seen.add(id(inner))
            lines.append("- " + _headline(inner))
    cause = _cause(error)
    while cause is not None and id(cause) not in seen and len(seen) < MAX_CAUSES:
        seen.add(id(cause))
        where = _place(cause, folder)
        lines.append("caused by " + _headline(cause) + (" (%s)" % where if where else ""))
        cause = _cause(cause)
    return "\n".join(lines)[:MAX_TEXT]


def describe_load_failure(error, file, folder):
    """One line for a file that can't be loaded: `stats.py:3:5: SyntaxError: …`."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        name, line, column = relative_name(error.filename, folder), error.lineno, error.offset or 1
        text = "%s: %s" % (type(error).__name__, error.msg)
    else:
        name, line, column = relative_name(file, folder), 1, 1
        frames = [frame for frame in _frames(error) if is_users(frame[0])]
        if frames:
            source, line, _ = frames[-1]
            written = linecache.getline(source, line)
            name, column = relative_name(source, folder), len(written) - len(written.lstrip()) + 1
        text = _headline(error)
        if isinstance(error, SystemExit):
            text += " (the file ends the program while it is being loaded)"
    return "%s:%d:%d: %s" % (name, line, max(column, 1), " ".join(text.split())[:2000])


def print_trace(error):
    """The whole way to a failure, for the log, from the user's own file on."""
    import traceback  # not needed by those who load well

    trace = error.__traceback__
    while trace is not None and not is_users(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    if trace is not None:
        traceback.print_exception(type(error), error, trace)


def _headline(error):
    kind = type(error).__name__
    try:
        message = str(error)
    except BaseException as broken:
        message = "(its message can't be had: __str__ raised %s)" % type(broken).__name__
    if len(message) > MAX_TEXT // 2:
        message = message[: MAX_TEXT // 2] + "…"
    return "%s: %s" % (kind, message) if message else kind


def _place(error, folder):
    """`stats.py:12 in mean: return sum(x) / len(x)`, the last frame that is the user's."""
    frames = [frame for frame in _frames(error) if is_users(frame[0])]
    if not frames:
        return ""
    file, line, function = frames[-1]
    source = linecache.getline(file, line).strip()
    where = "%s:%d in %s" % (relative_name(file, folder), line, function)
    return where + ": " + source[:200] if source else where


def _frames(error):
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append((code.co_filename, trace.tb_lineno or 0, code.co_name))
        trace = trace.tb_next
    return frames


def _cause(error):
    if error.__cause__ is not None:
        return error.__cause__
    return None if error.__suppress_context__ else error.__context__
