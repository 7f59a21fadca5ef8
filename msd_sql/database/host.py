"""Host: the only way to a database, whatever runs it, and the errors of one (docs/architecture.md).

A host takes statement text only, because another process can be a host too: values are embedded by `sql_text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:  # whoever only catches our errors does not wait for numpy
    import numpy.typing as npt

    Column: TypeAlias = npt.NDArray[Any]
else:
    Column = Any
Row: TypeAlias = tuple[Any, ...]

# A user's macro hides a built-in function, and even an operator, from whoever looks names up where it is. Our own
# connections look them up in DuckDB's schema alone: relations are named in full, and TEMP ones are found all the same.
OWN_NAMES = "SET search_path = 'system.main'"


class HostError(Exception):
    """The database refused a statement. Its text may quote data: see `reading` for statements over private rows."""

    def __init__(self, text: str, kind: str = "Error") -> None:
        super().__init__(text)
        self.kind = kind

    def withhold(self) -> None:
        """Forget the database's words and where they came from: this error may stay behind as another one's context."""
        self.args = ("withheld",)
        self.__context__ = self.__cause__ = None


class Conflict(HostError):  # noqa: N818 - a conflict is an event to retry, not a failure
    """Another transaction wrote the same rows or created the same object first: try again."""


class ReadOnly(HostError):  # noqa: N818
    """The statement writes to a database that is open for reading only."""


class Interrupted(HostError):  # noqa: N818
    """The statement was stopped by `interrupt`."""


class Host(Protocol):
    """Runs statements on one connection of its own to the user's database; not to be shared between threads."""

    @property
    def version(self) -> str:
        """The version of DuckDB that runs the statements, such as '1.5.6'."""
        ...

    def rows(self, sql: str) -> list[Row]:
        """Every row of a statement as Python values (a DECIMAL is a `Decimal`, a HUGEINT an `int`)."""
        ...

    def columns(self, sql: str) -> dict[str, Column]:
        """Every column of a statement as a numpy array, masked where it holds NULL.

        DECIMAL and HUGEINT arrive as float64: cast them in the statement where digits matter.
        """
        ...

    def blocks(self, sql: str) -> Iterator[dict[str, Column]]:
        """The columns of a statement in blocks of some hundred thousand rows, as they are computed.

        For what is larger than anyone wants to hold twice; run nothing else on this host until it is exhausted.
        """
        ...

    def run(self, sql: str) -> None:
        """Run a statement to its end and drop what it returns."""
        ...

    def begin_with(self, sql: str) -> None:
        """Run a setting before the next statement, if there is one; where an owner has locked it, it stays as it is."""
        ...

    def table(self, name: str, columns: Mapping[str, Column | Sequence[Any]]) -> AbstractContextManager[str]:
        """Make public columns visible to this host's statements as a relation `name`, for the length of a `with`."""
        ...

    def transaction(self) -> AbstractContextManager[Host]:
        """A host on another connection inside BEGIN … COMMIT; ROLLBACK on an exception; `Conflict` if it lost a race.

        Independent of what the user's own connection has open: it survives the user's ROLLBACK.
        """
        ...

    def second_connection(self) -> OwnHost | None:
        """A host on a connection of its own that works at the same time; None where one thing is done at a time."""
        ...

    def interrupt(self) -> None:
        """Stop the statement that runs now (called from another thread)."""
        ...


HostT = TypeVar("HostT", bound=Host)


class OwnHost(Host, Protocol):
    """A host that whoever asked for it closes."""

    def close(self) -> None:
        """Let go of the connection."""
        ...


def unoptimised(host: HostT) -> HostT:
    """A host that runs its statements as they are written: over a few small tables, to optimise one takes longer.

    >>> unoptimised(host).rows("SELECT 1")
    [(1,)]
    """
    host.begin_with("PRAGMA disable_optimizer")
    return host


@contextmanager
def in_transaction(host: HostT) -> Iterator[HostT]:
    """BEGIN on a host that nothing else uses, then COMMIT, or ROLLBACK on an exception.

    >>> with in_transaction(host) as inner:
    ...     inner.rows("SELECT 1")
    [(1,)]
    """
    host.run("BEGIN TRANSACTION")
    try:
        yield host
        host.run("COMMIT")
    except BaseException:
        with suppress(HostError):  # a failed COMMIT has already rolled back
            host.run("ROLLBACK")
        raise


def host_error(kind: str, text: str) -> HostError:
    """The error of a DuckDB exception, told by its class name and its text (the same in every process).

    >>> host_error("TransactionException", "Conflict on update!")
    Conflict('Conflict on update!')
    """
    if kind == "TransactionException" and ("onflict" in text or "Failed to commit" in text):
        return Conflict(text, kind)
    if kind == "ConstraintException" and "uplicate key" in text:
        return Conflict(text, kind)
    if "read-only mode" in text:
        return ReadOnly(text, kind)
    if kind == "InterruptException":
        return Interrupted(text, kind)
    return HostError(text, kind)
