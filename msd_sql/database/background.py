"""A background read: a statement's work on a connection of its own, while the call that needs its result goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from msd_sql.database.host import Host, HostError, OwnHost

T = TypeVar("T")


class BackgroundRead(Generic[T]):
    """The result of work that has begun; calling it waits for it, and raises its error if it failed.

    The work sees `table` as it was when this object was made, whatever others write meanwhile. Without a table, and on
    a host that cannot do two things at once, it is done before the call goes on.

    >>> BackgroundRead(host, lambda other: other.rows("SELECT count(*) FROM purchases")[0][0], "purchases")()
    2000
    """

    def __init__(self, host: Host, work: Callable[[Host], T], table: str | None) -> None:
        self._work = work
        self._found: list[T] = []
        self._failure: BaseException | None = None
        self._second = host.second_connection() if table is not None else None
        self._blind: HostError | None = None  # why the work sees nothing
        self._thread: threading.Thread | None = None
        if self._second is None:
            self._found.append(work(host))
            return
        thread = threading.Thread(target=self._run, args=(self._second,), daemon=True)
        try:
            # Here, which takes less time than to wait until a thread has done it.
            self._second.run("BEGIN TRANSACTION")
            self._second.run(f"SELECT 1 FROM {table} LIMIT 0")  # a transaction begins where it is first used
            thread.start()
        except HostError as error:
            self._failure = self._blind = error.with_traceback(None)
            self._second.close()
        except BaseException:
            self._second.close()
            raise
        else:
            self._thread = thread

    def check_snapshot(self) -> None:
        """Raise an error if the work sees nothing."""
        if self._blind is not None:
            raise self._blind

    def __call__(self) -> T:
        """The result."""
        if self._thread is not None and not self._found:  # each of a thousand groups asks
            self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self._found[0]

    @property
    def finished(self) -> bool:
        """Need nobody wait for it any more?"""
        return self._thread is None or not self._thread.is_alive()

    def stop(self) -> None:
        """Interrupt it if it still runs, from any thread."""
        if self._second is not None and not self.finished:
            with suppress(Exception):  # it may end, and close its connection, at this very moment
                self._second.interrupt()

    def shutdown(self) -> None:
        """See that nothing of it is left running: nobody asks for the result any more."""
        if self._thread is not None:
            while not self.finished:
                self.stop()
                self._thread.join(0.05)

    def _run(self, second: OwnHost) -> None:
        try:
            self._found.append(self._work(second))
        except BaseException as error:
            self._failure = error.with_traceback(None)
        finally:
            second.close()
