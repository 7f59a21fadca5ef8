"""Look ahead: what a selection will need to know of the catalog is looked up while DuckDB plans it for the guard.

Both take some milliseconds, and neither needs the other. What is found is kept for the statement (`Instance.once`), and
who asks for what is just being looked up waits for it. What could not be found is asked for again, and said there.
"""

from __future__ import annotations

import threading
from contextlib import suppress

from msd_sql.catalog.declarations import Items
from msd_sql.database.sql_text import fold
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.statement_text import mentioned
from msd_sql.question.ground import probed
from msd_sql.question.item_columns import items_fingerprint
from msd_sql.runtime.call import Call
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance

_THREAD = ("looks ahead",)


def look_ahead(instance: Instance, view: ConnectionView, text: str) -> None:
    """Begin to look up what the statement `text` will need, where that can be done beside it.

    >>> look_ahead(instance, view, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    """

    def begin() -> threading.Thread:
        thread = threading.Thread(target=_look, args=(instance, view, text), name="msd look ahead", daemon=True)
        thread.start()
        return thread

    if instance.at_once:
        instance.once(view.connection, view.query, _THREAD, begin)


def looked(instance: Instance, asking: Context) -> None:
    """Wait until nothing is looked up any more for a statement: it ends.

    >>> looked(instance, context)
    """
    thread: threading.Thread | None = instance.once(asking.connection, asking.query, _THREAD, lambda: None)
    if thread is not None:
        thread.join()


def _look(instance: Instance, view: ConnectionView, text: str) -> None:
    with suppress(Exception), instance.call(Context(view)) as call:
        for known in call.protected():
            call.identity(known.home)
        call.private()
        words = mentioned(text)
        for items in call.items():
            if items.relation is not None and fold(items.relation.name) in words:
                _look_at(call, items)


def _look_at(call: Call, items: Items) -> None:
    """Can the relation be read as it was declared, and are the items those that are known?"""
    if items.reach is not None:
        probed(call, call.need(items.reach), items)
    items_fingerprint(call, items)
