/** A Python file with a function for each kind of argument, result and failure. */

export const FUNCTIONS = `
from __future__ import annotations
import asyncio, functools, json
from collections import namedtuple
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, AsyncIterator, Iterator, List, NamedTuple, NewType, Optional, TypedDict, Union, TYPE_CHECKING
from uuid import UUID
if TYPE_CHECKING:
    from nowhere import Missing

class Color(Enum):
    RED = "red"
    BLUE = "blue"

@dataclass
class Point:
    x: float
    y: float = 0.0

@dataclass
class Line:
    start: Point
    color: Color = Color.BLUE

@dataclass
class Checked:
    n: int
    def __post_init__(self):
        if self.n < 0:
            raise ValueError("n is negative")

@dataclass
class Tree:
    value: int
    children: List[Tree] = field(default_factory=list)

class Pair(NamedTuple):
    w: int
    h: int = 2

class Movie(TypedDict):
    title: str
    day: date

class Opaque: pass
UserId = NewType("UserId", int)

def _shown(x): return "%s %r" % (type(x).__name__, x)
def as_int(x: int): return _shown(x)
def as_float(x: float): return _shown(x)
def as_bytes(x: bytes): return _shown(x)
def as_date(x: date): return _shown(x)
def as_datetime(x: datetime): return "datetime " + x.isoformat()
def as_time(x: time): return _shown(x)
def as_timedelta(x: timedelta): return _shown(x)
def as_uuid(x: UUID): return _shown(x)
def as_path(x: Path): return "path " + x.as_posix()
def as_decimal(x: Decimal): return _shown(x)
def as_color(x: Color): return str(x)
def as_set(x: set[int]): return "%s %r" % (type(x).__name__, sorted(x))
def as_tuple(x: tuple[int, str]): return _shown(x)
def as_keys(x: dict[int, str]): return _shown(x)
def as_optional(x: Optional[date]): return _shown(x)
def as_union(x: int | str | Point): return _shown(x)
def as_points(x: list[Point]): return _shown(x)
def as_line(x: Line): return _shown(x)
def as_pair(x: Pair): return _shown(x)
def as_movie(x: Movie): return _shown(x)
def as_tree(x: Tree): return _shown(x)
def as_new(x: UserId): return _shown(x)
def as_missing(x: Missing): return _shown(x)
def as_checked(x: Checked): return _shown(x)
def rest(a: int, b: int = 5, *more: int): return "%s %s %s" % (a, b, more)
def keyword(a: int, *more: int, last: int = 0): return "%s %s %s" % (a, more, last)
def options(a: int, **more: int): return "%s %s" % (a, more)
def positional(a, b=2, c=3, /, d=4): return "%s %s %s %s" % (a, b, c, d)
def implied(x: int = None): return str(x)

def _loud(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs): return function(*args, **kwargs) + "!"
    return wrapper

@_loud
def decorated(text: str): return text

PNG = b"\\x89PNG\\r\\n\\x1a\\n"
def gives_nothing(): return None
def gives_text(): return "h\\u00e9 \\U0001f600"
def gives_number(): return 1.5
def gives_list(): return [1, None, True, "\\u00e9"]
def gives_dict(): return {"a": {"b": "\\u00e9"}}
def gives_int() -> int: return 3
def gives_str() -> str: return "3"
def gives_none() -> Optional[int]: return None
def gives_point() -> Point: return Point(1, 2)
def gives_pair() -> Pair: return Pair(1)
def gives_odd():
    return [date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5), time(3, 4), timedelta(days=1, milliseconds=500), Color.RED,
            Decimal("1.10"), UUID("12345678-1234-5678-1234-567812345678"), Path("a") / "b", b"hi", {2, 1}, (3,), range(2),
            {1: 2, "true": 3}]
def gives_block(): return {"type": "text", "text": "a", "annotations": {"priority": 1}}
def gives_blocks(): return [{"type": "text", "text": "a"}, {"type": "resource_link", "uri": "file:///a", "name": "a"}]
def gives_result(): return {"content": [{"type": "text", "text": "a"}], "isError": True, "_meta": {"x": 1}}
def gives_png() -> bytes: return PNG
def gives_wav(): return b"RIFF\\0\\0\\0\\0WAVE"
def gives_bytes(): return b"\\0\\1"
def gives_mixed(): return ["look", PNG]
def gives_words() -> Iterator[str]:
    yield "a"
    yield "b"
async def gives_async_words() -> AsyncIterator[str]:
    yield "a"
    await asyncio.sleep(0)
    yield "b"
async def gives_later() -> int:
    await asyncio.sleep(0)
    return 7
def gives_mapped(): return map(lambda n: n + 1, [1, 2])
def gives_large(): return [9007199254740993, 123456789012345678901234567890]
def gives_nan(): return {"a": [1, float("nan")]}
def gives_object(): return [Opaque()]
def gives_itself():
    a = []
    a.append(a)
    return a
def gives_deep():
    a = []
    for _ in range(100_000): a = [a]
    return a
def breaks_promise() -> dict: return [1]

def _inner():
    try:
        {}["a"]
    except KeyError as error:
        raise ValueError("no good") from error
def fails(): _inner()
def fails_in_library(): return json.loads("{")
def exits(): raise SystemExit(3)
def interrupts(): raise KeyboardInterrupt()
async def exits_async(): raise SystemExit(4)
`
