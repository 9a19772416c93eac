/** Signatures as they are written in Python, and the schemas they mean. */
import type { JsonObject } from "../../model/json.ts"

export const MODELS = `
from dataclasses import dataclass
from enum import Enum

class Unit(Enum):
    METRE = "m"
    FOOT = "ft"

@dataclass
class Size:
    """How large something is."""
    width: float
    unit: Unit = Unit.METRE
`

export const DEFINITIONS = `
from __future__ import annotations
import collections.abc as cabc
import datetime as dt
import decimal, pathlib, typing, uuid
import typing as t
import models
import shapes
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, Flag, auto
from pathlib import Path
from typing import (Annotated, Any, Dict, FrozenSet, Iterable, Iterator, List, Literal, NamedTuple, NewType, Optional,
                    Set, Tuple, TypedDict, TypeVar, Union, TYPE_CHECKING)
try:
    from typing import NotRequired, Required
except ImportError:
    NotRequired = Required = Optional
from uuid import UUID
from models import Size as Dimensions
if TYPE_CHECKING:
    import numpy as np

LIMIT = 10
UserId = NewType("UserId", int)
Names = list[str]
Pair = Tuple[int, str]
Json: t.TypeAlias = Dict[str, Any]
Tree = Union[str, List["Tree"], Dict[str, "Tree"]]
T = TypeVar("T")
B = TypeVar("B", bound=int)

class Color(Enum):
    RED = "red"
    BLUE = "blue"

class Level(IntEnum):
    LOW = 1
    HIGH = 2

class Kind(Enum):
    A = auto()
    B = auto()

class Mode(str, Enum):
    ON = "on"
    OFF = "off"

class Rights(Flag):
    READ = 1
    WRITE = 2

@dataclass
class Point:
    """A place.

    Attributes:
        x: Across.
    """
    x: float
    y: float = 0.0

@dataclass
class Named(Point):
    name: str = "?"
    tags: list[str] = field(default_factory=list)
    shown: str = field(init=False, default="")
    note: Optional[str] = field(default=None, metadata={"description": "A note."})

@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)

class Movie(TypedDict):
    title: str
    year: NotRequired[int]

class Partial(TypedDict, total=False):
    a: int
    b: Required[str]

class Size(NamedTuple):
    w: int
    h: int = 1

class Email(str):
    pass

class Opaque:
    pass

Old = namedtuple("Old", "x y")
Typed = NamedTuple("Typed", [("a", int), ("b", str)])
Form = TypedDict("Form", {"in": str, "n": int}, total=False)

def Field(default=None, **keywords): return None
`

const POINT = {
  type: "object",
  description: "A place.",
  properties: { x: { type: "number", description: "Across." }, y: { type: "number", default: 0 } },
  required: ["x"],
  additionalProperties: false,
}
const array = (items: JsonObject): JsonObject => ({ type: "array", items })
const or = (...anyOf: JsonObject[]): JsonObject => ({ anyOf })
const integer = { type: "integer" }
const number = { type: "number" }
const string = { type: "string" }
const boolean = { type: "boolean" }
const nothing = { type: "null" }
const bytes = { type: "string", contentEncoding: "base64" }
/** One parameter `x` that must be given. */
const one = (x: JsonObject): JsonObject => ({ properties: { x }, required: ["x"] })
/** One parameter `x` that need not be. */
const maybe = (x: JsonObject): JsonObject => ({ properties: { x } })

export const PARAMETERS: [string, JsonObject][] = [
  ["", { properties: {} }],
  ["x", one({})],
  ["x: int", one(integer)],
  ["x: float", one(number)],
  ["x: str", one(string)],
  ["x: bool", one(boolean)],
  ["x: bytes", one(bytes)],
  ["x: None", one(nothing)],
  ["x: Any", one({})],
  ["x: object", one({})],
  ["x: 'int'", one(integer)],
  ["x: int = 3", maybe({ ...integer, default: 3 })],
  ["x: int = -1", maybe({ ...integer, default: -1 })],
  ["x: int = LIMIT", maybe({ ...integer, default: 10 })],
  ["x: float = float('inf')", maybe(number)],
  ["x: float = 1e999", maybe(number)],
  ["x=3", maybe({ default: 3 })],
  ["x: int = None", maybe({ ...or(integer, nothing), default: null })],
  ["x: bytes = b'hi'", maybe({ ...bytes, default: "aGk=" })],
  ["x: str = str(3)", maybe(string)],
  ["x: Optional[int]", one(or(integer, nothing))],
  ["x: Optional[str] = None", maybe({ ...or(string, nothing), default: null })],
  ["x: int | None = None", maybe({ ...or(integer, nothing), default: null })],
  ["x: Union[int, str]", one(or(integer, string))],
  ["x: int | str | None", one(or(integer, string, nothing))],
  ["x: Union[int, Union[str, None]]", one(or(integer, string, nothing))],
  ["x: Union[int]", one(integer)],
  ["x: Union[int, Any]", one({})],
  ["x: typing.Optional['Color']", one(or({ type: "string", enum: ["red", "blue"] }, nothing))],
  ["x: Literal['a', 'b']", one({ type: "string", enum: ["a", "b"] })],
  ["x: Literal[1, 2]", one({ type: "integer", enum: [1, 2] })],
  ["x: Literal['a', 1, None, True]", one({ enum: ["a", 1, null, true] })],
  ["x: Literal[Color.RED]", one({ type: "string", enum: ["red"] })],
  ["x: t.Literal['a'] = 'a'", maybe({ type: "string", enum: ["a"], default: "a" })],
  ["x: list", one({ type: "array" })],
  ["x: list[int]", one(array(integer))],
  ["x: List[List[str]]", one(array(array(string)))],
  ["x: list[Any]", one({ type: "array" })],
  ["x: Sequence[bool]", one(array(boolean))],
  ["x: cabc.Sequence[bool]", one(array(boolean))],
  ["x: Iterable[float]", one(array(number))],
  ["x: set[str]", one({ ...array(string), uniqueItems: true })],
  ["x: Set[str]", one({ ...array(string), uniqueItems: true })],
  ["x: FrozenSet[int]", one({ ...array(integer), uniqueItems: true })],
  ["x: tuple", one({ type: "array" })],
  ["x: tuple[int, str]", one({ type: "array", prefixItems: [integer, string], minItems: 2, maxItems: 2 })],
  ["x: tuple[int, ...]", one(array(integer))],
  ["x: Pair", one({ type: "array", prefixItems: [integer, string], minItems: 2, maxItems: 2 })],
  ["x: tuple[()]", one({ type: "array", minItems: 0, maxItems: 0 })],
  ["x: dict", one({ type: "object" })],
  ["x: dict[str, int]", one({ type: "object", additionalProperties: integer })],
  ["x: Dict[str, Any]", one({ type: "object" })],
  ["x: Mapping[str, list[int]]", one({ type: "object", additionalProperties: array(integer) })],
  [
    "x: dict[int, str]",
    one({ type: "object", additionalProperties: string, propertyNames: { pattern: "^-?[0-9]+$" } }),
  ],
  [
    "x: dict[Color, int]",
    one({ type: "object", additionalProperties: integer, propertyNames: { enum: ["red", "blue"] } }),
  ],
  ["x: datetime", one({ type: "string", format: "date-time" })],
  ["x: dt.datetime", one({ type: "string", format: "date-time" })],
  ["x: date", one({ type: "string", format: "date" })],
  ["x: dt.time", one({ type: "string", format: "time" })],
  ["x: timedelta", one({ type: "string", format: "duration" })],
  ["x: UUID", one({ type: "string", format: "uuid" })],
  ["x: uuid.UUID", one({ type: "string", format: "uuid" })],
  ["x: Path", one(string)],
  ["x: pathlib.Path", one(string)],
  ["x: Decimal", one({ type: ["number", "string"] })],
  ["x: Color", one({ type: "string", enum: ["red", "blue"] })],
  ["x: Color = Color.BLUE", maybe({ type: "string", enum: ["red", "blue"], default: "blue" })],
  ["x: Level", one({ type: "integer", enum: [1, 2] })],
  ["x: Kind", one({ type: "integer", enum: [1, 2] })],
  ["x: Mode", one({ type: "string", enum: ["on", "off"] })],
  ["x: Rights", one(integer)],
  ["x: Point", one(POINT)],
  ["x: Optional[Point] = None", maybe({ ...or(POINT, nothing), default: null })],
  [
    "x: Named",
    one({
      type: "object",
      properties: {
        ...POINT.properties,
        name: { ...string, default: "?" },
        tags: { ...array(string), default: [] },
        note: { ...or(string, nothing), default: null, description: "A note." },
      },
      required: ["x"],
      additionalProperties: false,
    }),
  ],
  [
    "x: Node",
    {
      ...one({ $ref: "#/$defs/Node" }),
      $defs: {
        Node: {
          type: "object",
          properties: { value: integer, children: { ...array({ $ref: "#/$defs/Node" }), default: [] } },
          required: ["value"],
          additionalProperties: false,
        },
      },
    },
  ],
  [
    "x: Point, y: list[Point]",
    {
      properties: { x: { $ref: "#/$defs/Point" }, y: array({ $ref: "#/$defs/Point" }) },
      required: ["x", "y"],
      $defs: { Point: POINT },
    },
  ],
  [
    "x: Movie",
    one({
      type: "object",
      properties: { title: string, year: integer },
      required: ["title"],
      additionalProperties: false,
    }),
  ],
  [
    "x: Partial",
    one({ type: "object", properties: { a: integer, b: string }, required: ["b"], additionalProperties: false }),
  ],
  [
    "x: Size",
    one({
      type: "object",
      properties: { w: integer, h: { ...integer, default: 1 } },
      required: ["w"],
      additionalProperties: false,
    }),
  ],
  ["x: Old", one({ type: "object", properties: { x: {}, y: {} }, required: ["x", "y"], additionalProperties: false })],
  [
    "x: Typed",
    one({ type: "object", properties: { a: integer, b: string }, required: ["a", "b"], additionalProperties: false }),
  ],
  ["x: Form", one({ type: "object", properties: { in: string, n: integer }, additionalProperties: false })],
  [
    "x: Dimensions",
    one({
      type: "object",
      description: "How large something is.",
      properties: { width: number, unit: { type: "string", enum: ["m", "ft"], default: "m" } },
      required: ["width"],
      additionalProperties: false,
    }),
  ],
  ["x: models.Unit", one({ type: "string", enum: ["m", "ft"] })],
  [
    "x: shapes.Circle",
    one({ type: "object", properties: { radius: number }, required: ["radius"], additionalProperties: false }),
  ],
  ["x: Annotated[int, 'How many.']", one({ ...integer, description: "How many." })],
  ["x: Annotated[int, Field(ge=1, le=LIMIT)]", one({ ...integer, minimum: 1, maximum: 10 })],
  [
    "x: Annotated[float, Field(gt=0, lt=1)] = 0.5",
    maybe({ ...number, exclusiveMinimum: 0, exclusiveMaximum: 1, default: 0.5 }),
  ],
  [
    "x: Annotated[str, Field(min_length=1, max_length=5, pattern='^a', description='Short.')]",
    one({ ...string, minLength: 1, maxLength: 5, pattern: "^a", description: "Short." }),
  ],
  ["x: Annotated[list[int], Field(min_length=1)]", one({ ...array(integer), minItems: 1 })],
  ["x: UserId", one(integer)],
  ["x: Names", one(array(string))],
  ["x: Json", one({ type: "object" })],
  ["x: Tree", one(or(string, { type: "array" }, { type: "object" }))],
  ["x: T", one({})],
  ["x: list[B]", one(array(integer))],
  ["x: Email", one(string)],
  ["x: np.ndarray", one({ description: "Python type np.ndarray" })],
  ["x: list[Opaque]", one(array({ description: "Python type Opaque" }))],
  ["*x: int", maybe(array(integer))],
  ["**x: int", { properties: {}, additionalProperties: integer }],
  ["**x", { properties: {}, additionalProperties: true }],
  [
    "x: int, /, y: int, *, z: int = 1",
    { properties: { x: integer, y: integer, z: { ...integer, default: 1 } }, required: ["x", "y"] },
  ],
  ["x: int, ctx", one(integer)],
  ["x: int, context=None", one(integer)],
  ["x: int, c: Context", one(integer)],
  ["x: int, c: Optional['ToolContext'] = None", one(integer)],
  ["ctx: str", { properties: { ctx: string }, required: ["ctx"] }],
]

const wrapped = (result: JsonObject): JsonObject => ({
  type: "object",
  properties: { result },
  required: ["result"],
  "x-toolyard-wrapped": true,
})

export const RETURNS: [string, JsonObject | undefined][] = [
  ["None", undefined],
  ["Any", undefined],
  ["object", undefined],
  ["bytes", undefined],
  ["Union[str, bytes]", undefined],
  ["Opaque", undefined],
  ["int", wrapped(integer)],
  ["str", wrapped(string)],
  ["Optional[int]", wrapped(or(integer, nothing))],
  ["list[float]", wrapped(array(number))],
  ["Iterator[str]", wrapped(array(string))],
  ["dict", { type: "object" }],
  ["dict[str, int]", { type: "object", additionalProperties: integer }],
  ["Json", { type: "object" }],
  ["datetime", wrapped(string)],
  ["date", wrapped({ type: "string", format: "date" })],
  [
    "Point",
    {
      type: "object",
      description: "A place.",
      properties: { x: { ...number, description: "Across." }, y: number },
      required: ["x", "y"],
    },
  ],
  ["Movie", { type: "object", properties: { title: string, year: integer }, required: ["title"] }],
  [
    "Node",
    {
      type: "object",
      $ref: "#/$defs/Node",
      $defs: {
        Node: {
          type: "object",
          properties: { value: integer, children: array({ $ref: "#/$defs/Node" }) },
          required: ["value", "children"],
        },
      },
    },
  ],
  ["Color", wrapped({ type: "string", enum: ["red", "blue"] })],
]
