"""Tell: what a statement says of itself before it asks anything, once for all of its groups.

The caller's own connection plans the statement for the guard (surface/caller.sql). These functions say what it has to
plan, and keep what it told. They refuse nothing: the guard does, when it is asked (question/prepare.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msd_sql.catalog.relations import relation_rows
from msd_sql.database.host import HostError, unoptimised
from msd_sql.errors import MsdError
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.private_data import closure, views_of
from msd_sql.guard.probes import PROBED, macro_bodies, names_to_probe, reads_by_name
from msd_sql.guard.statement_text import planned
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance


def statement(instance: Instance, told: str) -> str | None:
    """The statement that the caller's connection has to plan; None where nothing was ever declared.

    >>> statement(instance, '{"statement": "EXPLAIN SELECT 1"}')
    'SELECT 1'
    """
    view = ConnectionView.read(told)
    try:
        return planned(view.statement, view.prepared) if _declared(instance, view) else None
    except MsdError:
        return view.statement  # the guard says what is wrong with it


def probes(instance: Instance, told: str) -> list[str]:
    """The names of functions to look for among the caller's TEMP macros; none for a statement without files."""
    view = ConnectionView.read(told)
    try:
        if not _declared(instance, view):
            return []
        text = planned(view.statement, view.prepared)
        with instance.host(view.connection) as host:

            def once(question: tuple[Any, ...], answer: Callable[[], Any]) -> Any:
                return instance.once(view.connection, view.query, question, answer)

            # Most statements see no view at all: then the list is the guard's to ask for.
            views = views_of(relation_rows(unoptimised(host), once)) if view.views else {}
            if not reads_by_name(closure([text], views, {})):
                return []
            every = closure([text], views, macro_bodies(host))
            found: list[str] = once(PROBED, lambda: names_to_probe(host, every))
            return found
    except (MsdError, HostError):
        return []


def ask(instance: Instance, told: str, plan: str | None, answers: Sequence[str] | None) -> str:
    """Keep what a statement told; the text by which its calls find it, so that not every row carries it."""
    return instance.hear(Context(ConnectionView.read(told, plan, answers)))


def _declared(instance: Instance, view: ConnectionView) -> bool:
    """Was anything ever declared, as far as the connection sees? The call itself looks once more, and for itself."""
    return instance.declared or instance.ledger_file is not None or any(key[1] == "msd" for key in view.tables)
