"""The line between a worker and the extension that started it: messages with a tag and a length."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

from msd_sql.bridge import wire
from msd_sql.database.host import HostError, host_error

# DuckDB's number of an error, and the name that its Python module has for it.
_KINDS = {
    2: "ConversionException", 1: "OutOfRangeException", 10: "TransactionException", 11: "NotImplementedException",
    13: "CatalogException", 14: "ParserException", 18: "ConstraintException", 21: "ConnectionException",
    22: "SyntaxException", 24: "BinderException", 28: "IOException", 29: "InterruptException", 30: "FatalException",
    31: "InternalException", 32: "InvalidInputException", 33: "OutOfMemoryException", 34: "PermissionException",
    37: "DependencyException", 38: "HTTPException", 41: "SequenceException",
}  # fmt: skip


class Line:
    """Sends and receives; one call is on its way at any time.

    >>> ours, theirs = socket.socketpair()
    >>> with ours, theirs:
    ...     Line(ours, ours).send(b"R", b"abc")
    ...     Line(theirs, theirs).receive()
    (b'R', bytearray(b'abc'))
    """

    def __init__(self, line: socket.socket, control: socket.socket) -> None:
        self._line = line
        self._control = control

    @classmethod
    def inherited(cls, line: int, control: int) -> Line:
        """The line whose ends the extension left open for us; a program that we start must not hold them."""
        for number in (line, control):
            os.set_inheritable(number, False)
        return cls(socket.socket(fileno=line), socket.socket(fileno=control))

    def send(self, tag: bytes, payload: bytes = b"") -> None:
        """Send one message."""
        self._line.sendall(tag + struct.pack("<Q", len(payload)) + payload)

    def receive(self) -> tuple[bytes, bytearray]:
        """Wait for one message; EOFError when the other side has left."""
        head = self._take(9)
        return bytes(head[:1]), self._take(struct.unpack("<Q", head[1:])[0])

    def stop(self) -> None:
        """Ask for the statement that runs to be stopped; may be called while another call waits for it."""
        self._control.sendall(b"!")

    def run(self, connection: int, sql: str) -> Iterator[list[wire.Vector]]:
        """Run a statement; first the columns without rows, named by `names`, then rows as they come.

        The generator's first item is the header: vectors of no rows, whose types are the columns'.
        """
        self.send(b"Q", struct.pack("<I", connection) + sql.encode() + b"\0")
        tag, message = self.receive()
        if tag == b"E":
            raise failure(message)
        reader = wire.Reader(message)
        header = [(reader.text(), reader.type()) for _ in range(reader.number("I"))]
        self.names = [name for name, _ in header]
        self.types = [kind for _, kind in header]
        yield []
        while True:
            tag, message = self.receive()
            if tag != b"D":
                return
            reader = wire.Reader(message)
            rows = reader.number("Q")
            yield [reader.vector(kind, rows) for kind in self.types]

    def fill(self, connection: int, table: str, columns: int, rows: int, payload: bytes) -> None:
        """Append rows to a TEMP table of a connection."""
        name = table.encode()
        head = struct.pack("<II", connection, len(name)) + name + b"\0" + struct.pack("<IQ", columns, rows)
        self.send(b"T", head + payload)
        tag, message = self.receive()
        if tag == b"E":
            raise failure(message)

    def _take(self, size: int) -> bytearray:
        found = bytearray(size)
        view, at = memoryview(found), 0
        while at < size:
            got = self._line.recv_into(view[at:])
            if not got:
                raise EOFError("The shell has left.")
            at += got
        return found


def failure(message: bytes | bytearray) -> HostError:
    """The error of a statement."""
    reader = wire.Reader(message)
    number = reader.number("I")
    return host_error(_KINDS.get(number, "Error"), reader.text())
