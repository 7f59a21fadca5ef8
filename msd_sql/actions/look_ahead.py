"""Look ahead: what a selection will need to know of the catalog is looked up while DuckDB plans it for the guard.

Both take some milliseconds, and neither needs the other. What is found is kept for the statement (`Instance.once`), and
what could not be found is asked for again, and said there. The look waits for nobody; who waits for it holds no lock.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field

from msd_sql.catalog.declarations import Items
from msd_sql.database.sql_text import fold
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.statement_text import mentioned
from msd_sql.question.ground import probed
from msd_sql.question.item_columns import items_fingerprint
from msd_sql.runtime.call import Call
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance

_LOOK = ("looks ahead",)


@dataclass
class _Look:
    """A thread that looks ahead. `declared` is set once all declarations are known, which the guard waits for."""

    thread: threading.Thread | None = None
    declared: threading.Event = field(default_factory=threading.Event)


def look_ahead(instance: Instance, view: ConnectionView, text: str) -> None:
    """Begin to look up what the statement `text` will need, where that can be done beside it.

    >>> look_ahead(instance, view, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    """

    def begin() -> _Look:
        made = _Look()
        arguments = (instance, view, text, made.declared)
        made.thread = threading.Thread(target=_look, args=arguments, name="msd look ahead", daemon=True)
        made.thread.start()
        return made

    if instance.at_once:
        instance.once(view.connection, view.query, _LOOK, begin)


def declarations_known(instance: Instance, asking: Context) -> None:
    """Wait until what is declared is known, or will not be found.

    >>> declarations_known(instance, context)
    """
    if (look := _of(instance, asking)).thread is not None:
        look.declared.wait()


def looked(instance: Instance, asking: Context) -> None:
    """Wait until nothing is looked up any more.

    >>> looked(instance, context)
    """
    if (thread := _of(instance, asking).thread) is not None:
        thread.join()


def _of(instance: Instance, asking: Context) -> _Look:
    return instance.once(asking.connection, asking.query, _LOOK, _Look)


def _look(instance: Instance, view: ConnectionView, text: str, declared: threading.Event) -> None:
    try:
        with suppress(Exception), instance.call(Context(view)) as call:
            call.private()
            for known in call.protected():
                call.identity(known.home)
            items = call.items()
            declared.set()
            words = mentioned(text)
            for one in items:
                if one.relation is not None and fold(one.relation.name) in words:
                    _look_at(call, one)
    finally:
        declared.set()


def _look_at(call: Call, items: Items) -> None:
    """Can the relation be read as it was declared, and are the items those that are known?"""
    if items.reach is not None:
        probed(call, call.need(items.reach), items)
    items_fingerprint(call, items)
