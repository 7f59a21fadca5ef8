"""One answer for a whole statement: who asks what is just being found out waits, and asks by itself where that fails."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from msd_sql.runtime.instance import Instance


def test_of_two_threads_that_ask_at_once_one_waits():
    instance, asked, go_on = Instance("token"), [], threading.Event()

    def answer() -> int:
        asked.append(threading.get_ident())
        go_on.wait()
        return len(asked)

    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(instance.once, 1, 1, ("rows",), answer) for _ in range(2)]
        while not asked:
            pass
        go_on.set()
    assert [one.result() for one in found] == [1, 1]
    assert len(asked) == 1


def test_who_waits_for_what_fails_asks_by_itself():
    instance, began, go_on = Instance("token"), threading.Event(), threading.Event()

    def failing() -> str:
        began.set()
        go_on.wait()
        raise ValueError("stopped")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(instance.once, 1, 1, ("rows",), failing)
        began.wait()
        second = pool.submit(instance.once, 1, 1, ("rows",), lambda: "found")
        go_on.set()
    with pytest.raises(ValueError, match="stopped"):
        first.result()
    assert second.result() == "found"


def test_another_statement_asks_anew():
    instance = Instance("token")
    assert [instance.once(1, query, ("rows",), lambda query=query: query) for query in (1, 1, 2)] == [1, 1, 2]
