"""Columns on the wire between the extension and the worker: raw little-endian buffers, as `bridge.c` writes them."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BOOLEAN, BIGINT, UBIGINT, FLOAT, DOUBLE, TIMESTAMP, DATE, TIME, INTERVAL, HUGEINT = 1, 5, 9, 10, 11, 12, 13, 14, 15, 16
VARCHAR, BLOB, DECIMAL, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS, ENUM, LIST, STRUCT, MAP = range(17, 27)
UUID, UNION, BIT, TIME_TZ, TIMESTAMP_TZ, UHUGEINT, ARRAY, ANY, BIGNUM, SQLNULL = range(27, 37)
INTEGER = 4
_TEXT = (VARCHAR, BLOB, BIT, BIGNUM)
_UNITS = {TIMESTAMP: "us", TIMESTAMP_S: "s", TIMESTAMP_MS: "ms", TIMESTAMP_NS: "ns", TIMESTAMP_TZ: "us"}
_WIDE = np.dtype([("low", "<u8"), ("high", "<i8")])  # HUGEINT, UUID; the fields of an INTERVAL are read as needed
_PLAIN: dict[int, np.dtype[Any]] = {
    number: np.dtype(name)
    for number, name in {
        1: "?", 2: "<i1", 3: "<i2", 4: "<i4", 5: "<i8", 6: "<u1", 7: "<u2", 8: "<u4", 9: "<u8", 10: "<f4", 11: "<f8",
        12: "<i8", 13: "<i4", 14: "<i8", 20: "<i8", 21: "<i8", 22: "<i8", 30: "<i8", 31: "<i8", 39: "<i8",
    }.items()
} | {INTERVAL: _WIDE, HUGEINT: _WIDE, UUID: _WIDE, UHUGEINT: _WIDE}  # fmt: skip


@dataclass(frozen=True)
class Type:
    """A DuckDB type: its number in the C API, and what belongs to it."""

    id: int
    stored: int = 0  # the plain type of a DECIMAL or ENUM
    scale: int = 0
    size: int = 0  # the length of an ARRAY
    names: tuple[str, ...] = ()  # members of a STRUCT, values of an ENUM
    children: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Vector:
    """Some rows of one column; `known` is False where a row is NULL, or None if none is."""

    type: Type
    rows: int
    known: npt.NDArray[np.bool_] | None
    data: Any  # plain numbers as an array, texts as a list, (offsets, lengths) of lists
    children: tuple[Vector, ...] = ()


class Reader:
    """Walks through one message."""

    def __init__(self, message: bytes | bytearray | memoryview) -> None:
        self._bytes = memoryview(message)
        self._at = 0

    def take(self, size: int) -> memoryview:
        """The next bytes."""
        found = self._bytes[self._at : self._at + size]
        if len(found) != size:
            raise EOFError("The message is shorter than it says.")
        self._at += size
        return found

    def number(self, layout: str) -> int:
        """The next number, by its `struct` letter."""
        found: int = struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))[0]
        return found

    def text(self) -> str:
        """The next text, with its length before it."""
        return str(self.take(self.number("I")), "utf-8")

    def array(self, dtype: Any, count: int) -> Array:
        """The next numbers, without a copy."""
        kind = np.dtype(dtype)
        return np.frombuffer(self.take(kind.itemsize * count), dtype=kind)

    def type(self) -> Type:
        """The next type."""
        number = self.number("B")
        if number == DECIMAL:
            return Type(number, self.number("B"), self.number("B"))
        if number == ENUM:
            stored = self.number("B")
            return Type(number, stored, names=tuple(self.text() for _ in range(self.number("I"))))
        if number == ARRAY:
            size = self.number("Q")
            return Type(number, size=size, children=(self.type(),))
        if number == LIST:
            return Type(number, children=(self.type(),))
        if number == MAP:
            return Type(number, children=(Type(STRUCT, names=("key", "value"), children=(self.type(), self.type())),))
        if number == STRUCT:
            members = [(self.text(), self.type()) for _ in range(self.number("I"))]
            return Type(number, names=tuple(n for n, _ in members), children=tuple(t for _, t in members))
        return Type(number)

    def vector(self, kind: Type, rows: int) -> Vector:
        """The next rows of a column of a known type."""
        known = None
        if self.number("B"):
            bits = np.unpackbits(self.array("<u1", (rows + 63) // 64 * 8), bitorder="little")[:rows]
            known = bits.astype(bool)
        if kind.id in _TEXT:
            ends = np.cumsum(self.array("<u4", rows), dtype=np.int64)
            whole = bytes(self.take(int(ends[-1]) if rows else 0))
            starts = np.concatenate([[0], ends[:-1]]).tolist() if rows else []
            cut: list[Any] = [whole[start:end] for start, end in zip(starts, ends.tolist(), strict=True)]
            return Vector(kind, rows, known, [str(one, "utf-8") for one in cut] if kind.id == VARCHAR else cut)
        if kind.id in (LIST, MAP):
            entries = self.array("<u8", rows * 2).reshape(rows, 2)
            below = self.number("Q")
            return Vector(kind, rows, known, entries, (self.vector(kind.children[0], below),))
        if kind.id == ARRAY:
            return Vector(kind, rows, known, None, (self.vector(kind.children[0], rows * kind.size),))
        if kind.id == STRUCT:
            return Vector(kind, rows, known, None, tuple(self.vector(child, rows) for child in kind.children))
        if kind.id == SQLNULL:
            return Vector(kind, rows, np.zeros(rows, dtype=bool), [None] * rows)
        stored = kind.stored or kind.id
        if stored not in _PLAIN:
            raise TypeError(f"A column of DuckDB's type number {kind.id} cannot be carried; cast it to VARCHAR.")
        return Vector(kind, rows, known, self.array(_PLAIN[stored], rows))


def values(vector: Vector) -> list[Any]:
    """The rows as Python values, as DuckDB's own Python module gives them."""
    found = _values(vector)
    if vector.known is not None:
        return [one if known else None for one, known in zip(found, vector.known.tolist(), strict=True)]
    return found


def _values(vector: Vector) -> list[Any]:
    kind, data = vector.type, vector.data
    if kind.id in _TEXT or kind.id == SQLNULL:
        return list(data)
    if kind.id in (LIST, MAP, ARRAY):
        below = values(vector.children[0])
        if kind.id == ARRAY:
            return [below[i * kind.size : (i + 1) * kind.size] for i in range(vector.rows)]
        lists = [
            below[start : start + size] if known else []
            for (start, size), known in zip(data.tolist(), _known(vector), strict=True)
        ]
        return [{one["key"]: one["value"] for one in rows} for rows in lists] if kind.id == MAP else lists
    if kind.id == STRUCT:
        columns = [values(child) for child in vector.children]
        return [dict(zip(kind.names, row, strict=True)) for row in zip(*columns, strict=True)]
    if kind.id == ENUM:
        return [kind.names[code] if known else None for code, known in zip(data.tolist(), _known(vector), strict=True)]
    if kind.id == DECIMAL:
        return [Decimal(one).scaleb(-kind.scale) for one in _whole(data)]
    if kind.id in _SCALARS:
        return [
            _SCALARS[kind.id](one) if known else None
            for one, known in zip(_raw(kind, data), _known(vector), strict=True)
        ]
    return _whole(data)


def _known(vector: Vector) -> list[bool]:
    return [True] * vector.rows if vector.known is None else vector.known.tolist()


def _whole(data: Array) -> list[Any]:
    if data.dtype == _WIDE:
        return [(int(high) << 64) + int(low) for low, high in data.tolist()]
    return list(data.tolist())


def _raw(kind: Type, data: Array) -> list[Any]:
    if kind.id == INTERVAL:
        return [struct.unpack("<iiq", row.tobytes()) for row in data]
    return _whole(data)


_EPOCH = datetime(1970, 1, 1)
_SCALARS: dict[int, Callable[[Any], Any]] = {
    TIMESTAMP: lambda one: _EPOCH + timedelta(microseconds=one),
    TIMESTAMP_S: lambda one: _EPOCH + timedelta(seconds=one),
    TIMESTAMP_MS: lambda one: _EPOCH + timedelta(milliseconds=one),
    TIMESTAMP_NS: lambda one: _EPOCH + timedelta(microseconds=one // 1000),
    TIMESTAMP_TZ: lambda one: _EPOCH.replace(tzinfo=UTC) + timedelta(microseconds=one),
    DATE: lambda one: date(1970, 1, 1) + timedelta(days=one),
    TIME: lambda one: (datetime.min + timedelta(microseconds=one)).time() if one < 86_400_000_000 else time.max,
    INTERVAL: lambda one: timedelta(days=one[0] * 30 + one[1], microseconds=one[2]),
    UUID: lambda one: uuid.UUID(int=(one + (1 << 127)) % (1 << 128)),
    UHUGEINT: lambda one: one % (1 << 128),
}


def column(parts: Sequence[Vector]) -> Array:
    """The rows of several messages as one numpy array, masked where they are NULL (see `Host.columns`)."""
    kind = parts[0].type
    if kind.id == DECIMAL or kind.id in (HUGEINT, UHUGEINT):
        found: Array = np.array([float(one) for part in parts for one in _values(part)], dtype=np.float64)
    elif kind.id in _UNITS or kind.id == DATE:
        days = kind.id == DATE
        found = np.concatenate([part.data.astype("<i8") for part in parts]).view(
            f"M8[{'D' if days else _UNITS[kind.id]}]"
        )
        found = found.astype("M8[us]") if days else found
    elif kind.stored == 0 and kind.id in _PLAIN and kind.id not in _SCALARS:
        found = np.concatenate([part.data for part in parts])
    else:
        found = np.empty(sum(part.rows for part in parts), dtype=object)
        found[:] = [one for part in parts for one in values(part)]
    if all(part.known is None or part.known.all() for part in parts):
        return found
    known = np.concatenate([np.ones(part.rows, dtype=bool) if part.known is None else part.known for part in parts])
    return np.ma.MaskedArray(found, mask=~known)


def empty(kind: Type) -> Array:
    """A column without rows."""
    return column([Vector(kind, 0, None, [] if kind.id in _TEXT else _none(kind), _children(kind))])


def _none(kind: Type) -> Any:
    return np.empty(0, dtype=_PLAIN.get(kind.stored or kind.id, np.dtype("<i8")))


def _children(kind: Type) -> tuple[Vector, ...]:
    return tuple(
        Vector(child, 0, None, [] if child.id in _TEXT else _none(child), _children(child)) for child in kind.children
    )


def text(words: str) -> bytes:
    """A text with its length before it."""
    raw = words.encode()
    return struct.pack("<I", len(raw)) + raw


def encode(kind: Type, rows: Sequence[Any]) -> bytes:
    """Python values as the rows of a column: what `get_vector` of the extension reads."""
    known = [one is not None for one in rows]
    head = b"\0"
    if not all(known):
        bits = np.packbits(np.array(known, dtype=bool), bitorder="little").tobytes()
        head = b"\1" + bits.ljust((len(rows) + 63) // 64 * 8, b"\0")
    if kind.id in _TEXT:
        cut = [b"" if one is None else one.encode() if isinstance(one, str) else bytes(one) for one in rows]
        return head + np.array([len(one) for one in cut], dtype="<u4").tobytes() + b"".join(cut)
    if kind.id == LIST:
        lengths = np.array([0 if one is None else len(one) for one in rows], dtype=np.int64)
        offsets = np.cumsum(lengths) - lengths
        below = [value for one in rows if one is not None for value in one]
        entries = np.stack([offsets, lengths], axis=1).astype("<u8").tobytes()
        return head + entries + struct.pack("<Q", len(below)) + encode(kind.children[0], below)
    if kind.id == STRUCT:
        return head + b"".join(
            encode(child, [None if one is None else one[name] for one in rows])
            for name, child in zip(kind.names, kind.children, strict=True)
        )
    if kind.id == TIMESTAMP:
        rows = [None if one is None else (one - _EPOCH) // timedelta(microseconds=1) for one in rows]
    if kind.id not in _PLAIN or _PLAIN[kind.id] == _WIDE:
        raise TypeError(f"A value of DuckDB's type number {kind.id} cannot be carried.")
    return head + np.array([0 if one is None else one for one in rows], dtype=_PLAIN[kind.id]).tobytes()
