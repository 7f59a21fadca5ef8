"""The curator over Arrow Flight SQL: standard clients run statements in front, our own functions ask questions.

Every call carries a token. Who has none, or a wrong one, gets one and the same error. What is refused for another
reason is told in full: nothing that a client is told depends on a private row but through the mechanism.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyarrow import flight

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.curator.flight import catalog as flight_catalog
from msd_sql.curator.flight.protobuf import packed, raw, text, unpacked, write
from msd_sql.curator.front import Statement
from msd_sql.curator.limits import LimitError
from msd_sql.errors import InputError, MsdError, PrivacyError
from msd_sql.remote.wire import Asked

_WRONG = "This token is unknown, expired or revoked."
_HEADERS = ("authorization",)
_BOUND = 1 << 20  # bytes that the values of a prepared statement may have: they are kept


class _NoHandshake(flight.ServerAuthHandler):  # type: ignore[misc]
    """Flight wants one beside the middleware, which does the work."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        """Accept: the middleware has checked the headers. Some clients wait for a word."""
        outgoing.write(b"")

    def is_valid(self, token: bytes) -> bytes:
        """Say nothing."""
        return b""


class _Known(flight.ServerMiddleware):  # type: ignore[misc]
    """The account of one call; a handshake gets its token back as a bearer token."""

    def __init__(self, account: Account, bearer: str | None) -> None:
        self.account, self._bearer = account, bearer

    def sending_headers(self) -> dict[str, str]:
        """Hand the token to the driver that asked by name and password."""
        return {"authorization": f"Bearer {self._bearer}"} if self._bearer else {}


class _Keeper(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Finds the account of every call."""

    def __init__(self, curator: Curator) -> None:
        self._curator = curator

    def start_call(self, info: Any, headers: dict[str, list[str]]) -> _Known:
        """The account, or an error that is the same whatever is wrong."""
        given = next((value for name, values in headers.items() if name.lower() in _HEADERS for value in values), "")
        header = given.decode("latin-1") if isinstance(given, bytes) else given
        account = self._curator.account(header)
        if account is None:
            self._curator.log.write("unauthenticated", method=str(info.method))
            raise flight.FlightUnauthenticatedError(_WRONG)
        basic = header.lower().startswith("basic ")
        return _Known(account, self._curator.keeper.bearer(header) if basic else None)


@dataclass
class _Prepared:
    """A statement that an account has prepared, and the values that it has bound."""

    account: str
    statement: Statement
    schema: pa.Schema
    values: list[Any] = field(default_factory=list)


class FlightServer(flight.FlightServerBase):  # type: ignore[misc]
    """Serves a curator at an address; `certificate` is (certificate, key) in PEM, None in the clear.

    `clients`: only who has a certificate that this one has signed is spoken with. It is the one thing that is asked
    for before a message is read: gRPC reads that of a call such as GetFlightInfo or DoAction, of any length, before
    the middleware sees the token (that of DoPut and DoExchange after it), and pyarrow lets no limit be set.
    """

    def __init__(
        self,
        curator: Curator,
        address: str,
        certificate: tuple[bytes, bytes] | None = None,
        clients: bytes | None = None,
    ) -> None:
        more: dict[str, Any] = {"tls_certificates": [certificate]} if certificate else {}
        if clients is not None:
            more |= {"verify_client": True, "root_certificates": clients}
        self._curator = curator
        self._prepared: OrderedDict[bytes, _Prepared] = OrderedDict()
        self._lock = threading.Lock()
        super().__init__(address, auth_handler=_NoHandshake(), middleware={"account": _Keeper(curator)}, **more)

    def list_flights(self, context: Any, criteria: bytes) -> Iterator[Any]:
        """Nothing: Flight SQL asks for tables by commands of its own."""
        return iter(())

    def get_flight_info(self, context: Any, descriptor: Any) -> Any:
        """Where the answer to a command can be had: here, with a ticket."""
        account = _account(context)
        with _refusing():
            name, fields = unpacked(bytes(descriptor.command or b""))
            if name == "CommandStatementQuery":
                sql = text(fields, 1) or ""
                schema = self._curator.schema(account, self._curator.check(sql))
                ticket = packed("TicketStatementQuery", {1: sql.encode()})
            elif name == "CommandPreparedStatementQuery":
                schema = self._of(account, raw(fields, 1)).schema
                ticket = bytes(descriptor.command)
            elif name in flight_catalog.SCHEMAS:
                schema, ticket = flight_catalog.schema_of(name, fields), bytes(descriptor.command)
            else:
                raise _unknown(name)
            endpoint = flight.FlightEndpoint(flight.Ticket(ticket), [])
            return flight.FlightInfo(schema, descriptor, [endpoint], -1, -1)

    def get_schema(self, context: Any, descriptor: Any) -> Any:
        """The columns of the answer to a command."""
        return flight.SchemaResult(self.get_flight_info(context, descriptor).schema)

    def do_get(self, context: Any, ticket: Any) -> Any:
        """Run a statement, once for every time that it is asked for."""
        account = _account(context)
        with _refusing():
            name, fields = unpacked(ticket.ticket)
            if name == "TicketStatementQuery":
                statement = self._curator.check(text(fields, 1) or "")
                table = self._curator.statement(account, statement, (), context.is_cancelled)
            elif name == "CommandPreparedStatementQuery":
                known = self._of(account, raw(fields, 1))
                if len(known.values) != len(known.statement.parameters):
                    raise InputError(f"This statement takes {len(known.statement.parameters)} values.")
                table = self._curator.statement(account, known.statement, known.values, context.is_cancelled)
            elif name in flight_catalog.SCHEMAS:
                table = flight_catalog.told(self._curator, account, name, fields)
            else:
                raise _unknown(name)
            return flight.RecordBatchStream(table)

    def do_action(self, context: Any, action: Any) -> Iterator[Any]:
        """Prepare a statement, or let go of it; nothing else."""
        account = _account(context)
        with _refusing():
            if action.type == "CreatePreparedStatement":
                _, fields = unpacked(action.body.to_pybytes())
                return iter([self._prepare(account, text(fields, 1) or "")])
            if action.type == "ClosePreparedStatement":
                _, fields = unpacked(action.body.to_pybytes())
                with self._lock:
                    if self._known(account, raw(fields, 1)) is not None:
                        del self._prepared[raw(fields, 1)]
                return iter([])
            if action.type == "health":
                return iter([flight.Result(b"ok")])
            raise _unknown(str(action.type)[:60])

    def list_actions(self, context: Any) -> list[tuple[str, str]]:
        """What `do_action` does."""
        return [("CreatePreparedStatement", ""), ("ClosePreparedStatement", ""), ("health", "")]

    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        """Bind the values of a prepared statement; nothing can be written."""
        account = _account(context)
        with _refusing():
            name, fields = unpacked(bytes(descriptor.command or b""))
            if name != "CommandPreparedStatementQuery":
                raise InputError("The curator runs SELECT only: nothing can be written to it.")
            known = self._of(account, raw(fields, 1))
            table = self._gathered(reader, _BOUND)
            if table.num_rows != 1:
                raise InputError("Bind one row of values.")
            known.values = [column[0].as_py() for column in table.columns]
            writer.write(write({1: raw(fields, 1)}))

    def do_exchange(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        """A question of our own functions: JSON says what, Arrow brings the candidates; the answer in the same form."""
        account = _account(context)
        table = None
        try:
            asked = self._asked(descriptor, reader)
            told = self._curator.answer(account, asked, context.is_cancelled)
            values, table = dict(told.values), told.table
        except MsdError as error:
            values = {"error": {"kind": type(error).__name__, "text": str(error)}}
        except (pa.ArrowException, RecursionError):  # what was sent cannot be read
            values = {"error": {"kind": "InputError", "text": "The question cannot be read; nothing was charged."}}
        writer.begin(table.schema if table is not None else pa.schema([]))
        writer.write_metadata(json.dumps(values, default=_json).encode())
        if table is not None:
            writer.write_table(table)

    def _asked(self, descriptor: Any, reader: Any) -> Asked:
        command = bytes(descriptor.command or b"")
        try:
            said = json.loads(command) if len(command) <= self._curator.limits.question_bytes else None
        except ValueError:
            said = None
        if not isinstance(said, dict) or not isinstance(said.get("given", {}), dict):
            raise InputError("The question cannot be read; nothing was charged.")
        act = str(said.get("act"))
        groups = self._gathered(reader, self._curator.limits.question_bytes) if act in ("select", "explain") else None
        return Asked(act, said.get("given", {}), groups)

    def _gathered(self, reader: Any, most: int) -> pa.Table:
        batches: list[Any] = []
        size = 0
        while True:
            try:
                chunk = reader.read_chunk()
            except StopIteration:
                return pa.Table.from_batches(batches, reader.schema)
            if chunk.data is None:
                continue
            size += chunk.data.nbytes
            if size > most:
                raise LimitError(f"A question may have {most:,} bytes. Nothing was charged.")
            batches.append(chunk.data)

    def _prepare(self, account: Account, sql: str) -> Any:
        statement = self._curator.check(sql)
        schema = self._curator.schema(account, statement)
        handle = secrets.token_bytes(16)
        with self._lock:
            self._prepared[handle] = _Prepared(account.name, statement, schema)
            own = [key for key, known in self._prepared.items() if known.account == account.name]
            for key in own[: -self._curator.limits.prepared]:  # a client that vanished lets go of none
                del self._prepared[key]
        values = pa.schema([(name, pa.null()) for name in statement.parameters])
        return flight.Result(
            packed(
                "ActionCreatePreparedStatementResult",
                {1: handle, 2: schema.serialize().to_pybytes(), 3: values.serialize().to_pybytes()},
            )
        )

    def _of(self, account: Account, handle: bytes) -> _Prepared:
        with self._lock:
            found = self._known(account, handle)
        if found is None:
            raise InputError("This statement is not prepared (any more): prepare it again.")
        return found

    def _known(self, account: Account, handle: bytes) -> _Prepared | None:
        found = self._prepared.get(handle)
        return found if found is not None and found.account == account.name else None


def _account(context: Any) -> Account:
    account: Account = context.get_middleware("account").account
    return account


@contextmanager
def _refusing() -> Iterator[None]:
    """Our errors as Flight's, with their kind in front."""
    try:
        yield
    except (PrivacyError, LimitError) as error:
        raise flight.FlightUnauthorizedError(f"{type(error).__name__}: {error}") from None
    except MsdError as error:
        raise flight.FlightServerError(f"{type(error).__name__}: {error}") from None
    except flight.FlightError:
        raise
    except Exception:
        raise flight.FlightServerError("The request cannot be read; nothing was charged.") from None


def _unknown(name: str) -> InputError:
    return InputError(f"The curator does not do {name[:60]}.")


def _json(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
