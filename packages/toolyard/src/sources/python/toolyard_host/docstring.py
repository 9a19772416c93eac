"""Reads docstrings in the usual styles (Google, NumPy, Sphinx, Epytext, plain) into their parts."""
import inspect
import re

FIELD = re.compile(r"^\s*[:@](\w+)(?:[ \t]+([^:]*?))?\s*:(?:[ \t]+(.*))?$")
FIELD_NAMES = {
    "param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "kwparam", "type", "return", "returns", "rtype",
    "yield", "yields", "raise", "raises", "except", "exception", "ivar", "cvar", "var",
}
PARAMETERS = {
    "args", "arguments", "parameters", "params", "parameter", "keyword args", "keyword arguments", "other parameters",
    "attributes", "other args",
}
RETURNS = {"returns", "return", "yields", "yield"}
DROPPED = {"raises", "raise", "exceptions", "except"}
KEPT = {
    "example", "examples", "note", "notes", "warning", "warnings", "see also", "references", "todo", "warns", "tip",
}
SECTIONS = PARAMETERS | RETURNS | DROPPED | KEPT
GOOGLE_ITEM = re.compile(r"^(\*{0,2}[\w.]+)[ \t]*(?:\((.*?)\))?[ \t]*:(?:[ \t]+(.*)|)$")
NUMPY_ITEM = re.compile(r"^(\*{0,2}\w+(?:[ \t]*,[ \t]*\*{0,2}\w+)*)[ \t]*(?::[ \t]*(.*))?$")


class Docstring:
    def __init__(self):
        self.description = ""
        self.parameters = {}
        self.types = {}
        self.returns = ""


def parse_docstring(text):
    doc = Docstring()
    if not text:
        return doc
    kept = []
    lines = inspect.cleandoc(text).split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        field = FIELD.match(line)
        if field and field.group(1).lower() in FIELD_NAMES:
            index = _read_field(lines, index, field, doc)
            continue
        title = line.strip().rstrip(":").lower()
        below = lines[index + 1].strip() if index + 1 < len(lines) else ""
        if title in SECTIONS and len(below) >= 3 and set(below) <= {"-", "="}:
            end = _numpy_end(lines, index + 2)
            _read_section(title, lines[index:end], lines[index + 2 : end], NUMPY_ITEM, doc, kept)
            index = end
        elif title in SECTIONS and line.strip().endswith(":") and _is_block(lines, index):
            end = _block_end(lines, index)
            _read_section(title, lines[index:end], lines[index + 1 : end], GOOGLE_ITEM, doc, kept)
            index = end
        else:
            kept.append(line)
            index += 1
    doc.description = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return doc


def _read_field(lines, index, field, doc):
    """`:param int x: text` and `@param x: text`, with what is indented below it."""
    kind, about, first = field.group(1).lower(), (field.group(2) or "").strip(), field.group(3) or ""
    margin = _indent(lines[index])
    parts = [first]
    index += 1
    while index < len(lines) and lines[index].strip() and _indent(lines[index]) > margin:
        parts.append(lines[index])
        index += 1
    text = _flow(parts)
    if kind in ("return", "returns", "yield", "yields"):
        doc.returns = text
    elif kind == "type":
        doc.types[about] = text
    elif kind not in ("rtype", "raise", "raises", "except", "exception") and about:
        name = about.split()[-1].lstrip("*\\")
        doc.parameters[name] = text
        if " " in about:
            doc.types[name] = about.rsplit(None, 1)[0]
    return index


def _read_section(title, whole, body, item, doc, kept):
    if title in KEPT:
        kept.extend(whole)
    elif title in RETURNS:
        doc.returns = _returns(body, item)
    elif title in PARAMETERS:
        for names, kind, text in _items(body, item):
            for name in names.split(","):
                name = name.strip().lstrip("*")
                doc.parameters.setdefault(name, text)
                if kind:
                    doc.types.setdefault(name, kind)


def _items(body, item):
    margin = min((_indent(line) for line in body if line.strip()), default=0)
    found = []
    for line in body:
        match = item.match(line.strip()) if line.strip() and _indent(line) == margin else None
        if match and item is GOOGLE_ITEM:
            found.append([match.group(1), match.group(2), [match.group(3) or ""]])
        elif match:
            found.append([match.group(1), match.group(2), []])
        elif found:
            found[-1][2].append(line)
    return [(names, kind, _flow(parts)) for names, kind, parts in found]


def _returns(body, item):
    if item is NUMPY_ITEM:
        margin = min((_indent(line) for line in body if line.strip()), default=0)
        deeper = [line for line in body if _indent(line) > margin or not line.strip()]
        return _flow(deeper if any(line.strip() for line in deeper) else body)
    text = _flow(body)
    # `Returns:\n    int: the sum` names the type first.
    typed = re.match(r"^[\w.]+(?:\[.*?\])?:\s+(.*)$", text, re.S)
    return typed.group(1) if typed else text


def _is_block(lines, index):
    following = next((line for line in lines[index + 1 :] if line.strip()), "")
    return _indent(following) > _indent(lines[index])


def _block_end(lines, index):
    margin = _indent(lines[index])
    end = index + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > margin):
        end += 1
    return end


def _numpy_end(lines, index):
    while index < len(lines):
        below = lines[index + 1].strip() if index + 1 < len(lines) else ""
        if lines[index].strip() and len(below) >= 3 and set(below) <= {"-", "="}:
            break
        index += 1
    return index


def _flow(lines):
    """Lines of one text joined; an empty line stays a paragraph."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(line.strip() for line in lines).strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip())


def _indent(line):
    return len(line) - len(line.lstrip())
