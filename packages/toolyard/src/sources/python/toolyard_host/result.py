"""What a function returned as the result of a `tools/call`, already as JSON text."""
import base64
import json

from .to_json import BYTES, NotJson, to_json

MEDIA = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
)
RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
# What a content block of each type must have, and of which type that is.
BLOCKS = {
    "text": {"text": str},
    "image": {"data": str, "mimeType": str},
    "audio": {"data": str, "mimeType": str},
    "resource": {"resource": dict},
    "resource_link": {"uri": str},
}
_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"), check_circular=False).encode
_encode_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False).encode


def to_result(value, output):
    """`output` says what the tool's schema promises: None, "object" or "wrapped"."""
    if isinstance(value, BYTES):
        return _content([_media(bytes(value))], _structured(to_json(value), output), output)
    if output is None and _is_mixed(value):
        return _content([_block(item) for item in value])
    plain = to_json(value)
    if isinstance(plain, dict) and _is_result(plain):
        if output is not None and "structuredContent" not in plain and not plain.get("isError"):
            return _encode({**plain, "structuredContent": _structured(plain, output)})
        return _encode(plain)
    if is_block(plain):
        return _content([plain], _structured(plain, output), output)
    if isinstance(plain, list) and plain and all(map(is_block, plain)):
        return _content(plain, _structured(plain, output), output)
    return _plain_result(plain, output)


def to_streamed(items, output):
    """What a generator gave. Text that came in pieces is one text."""
    plain = to_json(items)
    if plain and all(isinstance(item, str) for item in plain):
        return _content([{"type": "text", "text": "".join(plain)}], _structured(plain, output), output)
    return to_result(items, output)


def to_error(text):
    return '{"content":[{"type":"text","text":%s}],"isError":true}' % _encode(text)


def to_message(value):
    """One item of a generator as the text of a progress message."""
    try:
        return (value if isinstance(value, str) else _encode_text(to_json(value)))[:2000]
    except (NotJson, ValueError):
        return type(value).__name__


def _plain_result(plain, output):
    if plain is None:
        text = "[]"
    else:
        written = plain if isinstance(plain, str) else _encode_text(plain)
        text = '[{"type":"text","text":%s}]' % _encode(written)
        if isinstance(plain, dict) and output != "wrapped":
            # The same text serves twice where it is plain ASCII.
            structured = written if written.isascii() else _encode(plain)
            return '{"content":%s,"structuredContent":%s}' % (text, structured)
    if output == "wrapped":
        return '{"content":%s,"structuredContent":{"result":%s},"_meta":{"toolyard/wrapped":true}}' % (
            text,
            _encode(plain),
        )
    _structured(plain, output)
    return '{"content":%s}' % text


def _structured(plain, output):
    """The structured content that a schema asks for."""
    if output == "wrapped":
        return {"result": plain}
    if output == "object":
        if not isinstance(plain, dict):
            kind = {type(None): "None", list: "a list", str: "a string", bool: "a bool"}.get(type(plain), "a number")
            raise NotJson("is %s, but the function's return annotation promises an object" % kind)
        return plain
    return None


def _content(blocks, structured=None, output=None):
    result = {"content": blocks}
    if structured is not None:
        result["structuredContent"] = structured
        if output == "wrapped":
            result["_meta"] = {"toolyard/wrapped": True}
    return _encode(result)


def is_block(value):
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    needed = BLOCKS.get(value["type"])
    return needed is not None and all(isinstance(value.get(key), kind) for key, kind in needed.items())


def _is_result(value):
    content = value.get("content")
    return isinstance(content, list) and all(map(is_block, content)) and (bool(content) or len(value) == 1)


def _is_mixed(value):
    """Text, bytes and content blocks in a list are content, not data."""
    return (
        isinstance(value, (list, tuple))
        and any(isinstance(item, BYTES) for item in value)
        and all(isinstance(item, BYTES + (str,)) or is_block(item) for item in value)
    )


def _block(item):
    if isinstance(item, BYTES):
        return _media(bytes(item))
    return {"type": "text", "text": item} if isinstance(item, str) else to_json(item)


def _media(value):
    data = base64.b64encode(value).decode("ascii")
    kind = next((kind for magic, kind in MEDIA if value.startswith(magic)), None)
    if kind is None and value[:4] == b"RIFF":
        kind = RIFF.get(value[8:12])
    if kind is not None:
        return {"type": kind.split("/")[0], "data": data, "mimeType": kind}
    kind = "application/octet-stream"
    return {"type": "resource", "resource": {"uri": "data:%s," % kind, "mimeType": kind, "blob": data}}
