"""The few protocol-buffer messages of Flight SQL that a curator reads and writes, by hand: fields by their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from msd_sql.errors import InputError

Fields = dict[int, list[bytes | int]]
_TYPE = "type.googleapis.com/arrow.flight.protocol.sql."


def read(message: bytes) -> Fields:
    """The fields of a message; an InputError where it is not one.

    >>> read(write({1: b"SELECT 1", 2: 7}))
    {1: [b'SELECT 1'], 2: [7]}
    """
    found: Fields = {}
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        field, kind = tag >> 3, tag & 7
        value: bytes | int
        if kind == 0:
            value, place = _varint(message, place)
        elif kind in (1, 2, 5):
            length = {1: 8, 5: 4}.get(kind, 0)
            if kind == 2:
                length, place = _varint(message, place)
            value = message[place : place + length]
            if len(value) != length:
                raise _broken()
            place += length
        else:
            raise _broken()
        found.setdefault(field, []).append(value)
    return found


def write(fields: dict[int, bytes | int]) -> bytes:
    """A message of these fields."""
    made = bytearray()
    for field, value in fields.items():
        if isinstance(value, int):
            made += _number(field << 3) + _number(value)
        else:
            made += _number(field << 3 | 2) + _number(len(value)) + value
    return bytes(made)


def unpacked(message: bytes) -> tuple[str, Fields]:
    """The name and the fields of a message that travels as `Any`; an InputError for one that is not of Flight SQL.

    >>> unpacked(packed("CommandStatementQuery", {1: b"SELECT 1"}))
    ('CommandStatementQuery', {1: [b'SELECT 1']})
    """
    fields = read(message)
    name, value = text(fields, 1) or "", fields.get(2, [b""])[-1]
    if not name.startswith(_TYPE) or not isinstance(value, bytes):
        raise InputError("This is not a message of Flight SQL.")
    return name.removeprefix(_TYPE), read(value)


def packed(name: str, fields: dict[int, bytes | int]) -> bytes:
    """A message as it travels as `Any`."""
    return write({1: f"{_TYPE}{name}".encode(), 2: write(fields)})


def raw(fields: Fields, number: int) -> bytes:
    """The bytes of a field; empty where it is not given."""
    value = fields.get(number, [b""])[-1]
    if not isinstance(value, bytes):
        raise _broken()
    return value


def text(fields: Fields, number: int) -> str | None:
    """The text of a field; None where it is not given."""
    if number not in fields:
        return None
    try:
        return raw(fields, number).decode()
    except UnicodeDecodeError:
        raise _broken() from None


def texts(fields: Fields, number: int) -> list[str]:
    """Every text of a field that may stand several times."""
    return [text({1: [value]}, 1) or "" for value in fields.get(number, [])]


def numbers(fields: Fields, number: int) -> list[int]:
    """Every number of a field, packed or not.

    >>> numbers(read(write({1: bytes([1, 2])})), 1)
    [1, 2]
    """
    found: list[int] = []
    for value in fields.get(number, []):
        if isinstance(value, int):
            found.append(value)
            continue
        place = 0
        while place < len(value):
            one, place = _varint(value, place)
            found.append(one)
    return found


def _varint(message: Sequence[int], place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(message) and shift < 64:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
    raise _broken()


def _number(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _broken() -> InputError:
    return InputError("This message is cut off or broken.")
