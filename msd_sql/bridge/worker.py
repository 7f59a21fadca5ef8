"""The worker: answers the calls of one shell with the very functions that `msd_sql.register` gives to Python.

Started by the extension as `python -P -m msd_sql.bridge.worker LINE CONTROL`; it leaves when its line is cut.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import pyarrow as pa

from msd_sql.bridge import wire
from msd_sql.bridge.channel import Line
from msd_sql.bridge.host import BridgeHost
from msd_sql.bridge.wire_arrow import array
from msd_sql.catalog.places.ledger_file import ledger_file
from msd_sql.database.host import OWN_NAMES, Host
from msd_sql.database.sql_text import Name, literal
from msd_sql.entry_points import Function, functions
from msd_sql.errors import EngineError, MsdError
from msd_sql.registration import LEDGER
from msd_sql.remote.flight_door import open_door
from msd_sql.remote.functions import functions as asking_functions
from msd_sql.runtime.call import INTERRUPTED
from msd_sql.runtime.instance import Instance

CURATOR_VARIABLE, ROOTS_VARIABLE = "MSD_CURATOR", "MSD_TLS_ROOTS"  # and of `msd duckdb --curator ADDRESS`
LEDGER_VARIABLE = "MSD_LEDGER"  # the environment tells a worker of `msd duckdb --ledger FILE`


class ShellDatabase(Instance):
    """The database of a shell: a call's host is on the extension's own connections."""

    def __init__(self, line: Line) -> None:
        super().__init__("bridge")
        self._line = line
        self._version = ""
        # What `register(con, ledger=…)` is in Python: a file that is named when the shell is started, or a database
        # that is attached under this name.
        path = os.environ.get(LEDGER_VARIABLE)
        self.ledger_file = ledger_file(path, LEDGER) if path else None
        self.interrupted = False  # since the present call arrived

    @contextmanager
    def host(self, connection: int) -> Iterator[Host]:
        """A host over the line; the extension serialises calls, so that one is enough."""
        if self.interrupted:
            raise EngineError(INTERRUPTED)
        if not self._version:
            told = BridgeHost(self._line, "").rows("SELECT library_version FROM pragma_version()")
            self._version = str(told[0][0]).removeprefix("v")
        host = BridgeHost(self._line, self._version)
        host.run(OWN_NAMES)
        attached = host.rows(f"SELECT 1 FROM duckdb_databases() WHERE database_name = {literal(LEDGER)}")
        self.home = LEDGER if attached or self.ledger_file else None
        yield host

    def bring(self, connection: int, name: Name, table: Any, columns: str) -> None:
        """Make a table of Arrow data, by way of a file that the shell reads."""
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder, self.host(connection) as host:
            file = os.path.join(folder, "pulled.parquet")
            pyarrow.parquet.write_table(table, file)
            host.run(f"CREATE OR REPLACE TABLE {name.sql} AS SELECT {columns} FROM read_parquet({literal(file)})")


def serve(line: Line) -> None:
    """Answer calls until the shell has left."""
    shell = ShellDatabase(line)
    known = {function.name: function for function in _functions(shell)}
    early = _forward_interrupts(shell)
    with suppress(EOFError, ConnectionError):
        while True:
            tag, message = line.receive()
            if tag != b"C":
                raise RuntimeError(f"The extension sent {tag!r} outside of a call: build it again.")
            shell.interrupted, early = early, False
            line.send(*_outcome(known, message))


def _functions(shell: ShellDatabase) -> list[Function]:
    """What `register` gives: functions of this database, or those that ask a curator."""
    address = os.environ.get(CURATOR_VARIABLE)
    if not address:
        return functions(shell)
    door = open_door(address, None, os.environ.get(ROOTS_VARIABLE) or None)
    return asking_functions(shell, lambda connection: door)


def _outcome(known: dict[str, Function], message: bytes | bytearray) -> tuple[bytes, bytes]:
    try:
        return b"R", _answer(known, wire.Reader(message))
    except (EOFError, ConnectionError):
        raise
    except Exception as error:
        return b"X", _told(error).encode()


def _answer(known: dict[str, Function], call: wire.Reader) -> bytes:
    function = known[call.text()]
    rows, returns = call.number("Q"), call.type()
    vectors = [call.vector(call.type(), rows) for _ in range(call.number("I"))]
    if function.arrow:
        found = function.run(*(pa.chunked_array([array(vector)]) for vector in vectors))
        return wire.encode(returns, found.to_pylist())
    columns = [wire.values(vector) for vector in vectors]
    return wire.encode(returns, [function.run(*(column[row] for column in columns)) for row in range(rows)])


def _told(error: Exception) -> str:
    """What the user reads: a message that stands alone; a bug of ours also says where it is, on standard error."""
    if not isinstance(error, MsdError):
        traceback.print_exception(error, chain=False, file=sys.stderr)
    return f"{type(error).__name__}: {error}"


def _forward_interrupts(shell: ShellDatabase) -> bool:
    """Ctrl-C reaches every process of the terminal: the shell stops its query, we stop what it waits for.

    The extension starts us with SIGINT held back, so that a Ctrl-C while Python loads does not end it; True if there
    was one.
    """
    early = signal.SIGINT in signal.sigpending()

    def handler(number: int, frame: FrameType | None) -> None:
        shell.interrupted = True
        shell.stop()

    signal.signal(signal.SIGINT, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return early


def _show(message: Warning | str, *args: Any, **more: Any) -> None:
    print(f"msd_sql: {message}", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Serve the line that the extension left open."""
    warnings.showwarning = _show
    line, control = (int(one) for one in arguments)
    serve(Line.inherited(line, control))
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # the shell waits for us: nothing is left to tidy up
