"""The door to a curator over Arrow Flight: one question is one exchange, under TLS, with the account's token."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msd_sql import errors
from msd_sql.errors import EngineError, InputError, MsdError
from msd_sql.remote.wire import GROUP, Asked, Told

_ADDRESS = re.compile(r"(grpc|grpc\+tcp|grpc\+tls)://(\[[0-9a-fA-F:]+\]|[\w.-]+):\d+")
PATIENCE = 10.0  # seconds that a curator has to say that it is there
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")


def open_door(address: str, token: str | None, tls_roots: str | os.PathLike[str] | None = None) -> FlightDoor:
    """The door of a curator at an address such as grpc+tls://host:8815; the token may come from $MSD_TOKEN.

    To a curator that asks for a certificate the one in the file $MSD_TLS_CERT is shown, with its key in $MSD_TLS_KEY.

    >>> open_door("http://host", "ana.secret")
    Traceback (most recent call last):
    msd_sql.udfs.errors.InputError: A curator's address looks like grpc+tls://host:8815; got 'http://host'.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise InputError(f"A curator's address looks like grpc+tls://host:8815; got '{address[:200]}'.")
    if found[1] != "grpc+tls" and found[2] not in LOOPBACK:
        raise InputError(f"A token must not travel in the clear: use grpc+tls:// for {found[2]}, not {found[1]}://.")
    given = token if token is not None else os.environ.get("MSD_TOKEN")
    if not given:
        raise InputError("A curator needs the token of an account: token='…', or the variable MSD_TOKEN.")
    roots = Path(tls_roots).read_bytes() if tls_roots is not None else None
    return FlightDoor(address, given, roots, _own_certificate())


def _own_certificate() -> tuple[bytes, bytes] | None:
    shown, key = (os.environ.get(name) for name in ("MSD_TLS_CERT", "MSD_TLS_KEY"))
    if not shown and not key:
        return None
    if not shown or not key:
        raise InputError("MSD_TLS_CERT and MSD_TLS_KEY belong together: set both, or none.")
    return Path(shown).read_bytes(), Path(key).read_bytes()


class FlightDoor:
    """A client of a curator; several threads may ask at once."""

    def __init__(
        self, address: str, token: str, roots: bytes | None = None, shown: tuple[bytes, bytes] | None = None
    ) -> None:
        from pyarrow import flight

        self._flight: Any = flight
        more = {"tls_root_certs": roots} if roots is not None else {}
        if shown is not None and address.startswith("grpc+tls:"):
            more |= {"cert_chain": shown[0], "private_key": shown[1]}
        self._client = flight.FlightClient(address, **more)
        self._headers = [(b"authorization", f"Bearer {token}".encode())]
        self._options = flight.FlightCallOptions(headers=self._headers)
        self._address = address
        self._lock = threading.Lock()

    def ask(self, asked: Asked) -> Told:
        """Ask; the curator's own error where it refuses, an EngineError where it cannot be reached."""
        with self._plain_errors():
            values, table = self._exchange(asked)
        return _answered(values, table)

    def check(self) -> None:
        """See that a curator answers that knows the token; it asks nothing, and is the cheapest call there is."""
        options = self._flight.FlightCallOptions(timeout=PATIENCE, headers=self._headers)
        with self._plain_errors():
            list(self._client.do_action(self._flight.Action("health", b""), options))

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        flight = self._flight
        try:
            yield
        except flight.FlightUnauthenticatedError:
            raise InputError(
                f"The curator at {self._address} does not know this token, or it has been revoked. Ask the owner."
            ) from None
        except (flight.FlightError, OSError, ValueError, KeyError) as error:
            told = str(error).partition(". gRPC client debug context")[0].partition(". Client context")[0]
            away = isinstance(error, (flight.FlightUnavailableError, flight.FlightTimedOutError))
            hint = ". Is `msd serve` running there, at this address?" if away else ""
            raise EngineError(f"The curator at {self._address} did not answer: {told[:500]}{hint}") from None

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _exchange(self, asked: Asked) -> tuple[dict[str, Any], Any]:
        flight = self._flight
        command = json.dumps({"act": asked.act, "given": asked.given}, default=str).encode()
        writer, reader = self._client.do_exchange(flight.FlightDescriptor.for_command(command), self._options)
        with writer:
            if asked.groups is not None:
                writer.begin(GROUP)
                writer.write_table(asked.groups)
            writer.done_writing()
            values: dict[str, Any] = {}
            batches = []
            while True:
                try:
                    chunk = reader.read_chunk()
                except StopIteration:
                    break
                if chunk.app_metadata is not None:
                    values = json.loads(chunk.app_metadata.to_pybytes())
                if chunk.data is not None:
                    batches.append(chunk.data)
            schema = reader.schema
        return values, (batches, schema)


def _answered(values: dict[str, Any], table: Any) -> Told:
    import pyarrow as pa

    if "error" in values:
        kind = getattr(errors, str(values["error"]["kind"]), MsdError)
        raise kind(values["error"]["text"]) if issubclass(kind, MsdError) else MsdError(values["error"]["text"])
    batches, schema = table
    return Told(values, pa.Table.from_batches(batches, schema) if len(schema) else None)
