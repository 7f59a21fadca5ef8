"""Look ahead: what a selection will need to know of the catalog is looked up while DuckDB plans it for the guard.

Both take some milliseconds, and neither needs the other. What is found is kept for the statement (`Instance.once`), and
what could not be found is asked for again, and said there. The look waits for nobody; who waits for it holds no lock.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress

from msd_sql.catalog.declarations import Items
from msd_sql.database.sql_text import fold
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.statement_text import mentioned
from msd_sql.question.ground import probed
from msd_sql.question.item_columns import items_fingerprint
from msd_sql.runtime.call import Call
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance, Look

_SELECTIONS = frozenset(["msd_select", "msd_topk", "msd_explain"])


def look_ahead(instance: Instance, view: ConnectionView, text: str) -> None:
    """Begin to look up what the statement `text` will need, if it is a selection and that can be done beside it.

    >>> look_ahead(instance, view, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    """
    instance.end_look(view.connection, view.query)  # of a statement before, which has failed
    if not instance.at_once or not _SELECTIONS & mentioned(text) or view.connection in instance.looks:
        return
    look = instance.looks[view.connection] = Look(view.query)
    with ExitStack() as stack:
        # Its cursor is made here: afterwards the caller's own connection may be used, or closed, at any time.
        call = stack.enter_context(instance.call(Context(view)))
        arguments = (look, call, text, stack.pop_all())
        look.thread = threading.Thread(target=_look, args=arguments, name="msd look ahead", daemon=True)
        look.thread.start()


def declarations_known(instance: Instance, asking: Context) -> None:
    """Wait until what is declared is known, or will not be found.

    >>> declarations_known(instance, context)
    """
    if (look := instance.looks.get(asking.connection)) is not None:
        look.declared.wait()


def _look(look: Look, call: Call, text: str, end: ExitStack) -> None:
    try:
        with suppress(Exception), end:
            call.private()
            for known in call.protected():
                call.identity(known.home)
            items = call.items()
            look.declared.set()
            words = mentioned(text)
            for one in items:
                if one.relation is not None and fold(one.relation.name) in words:
                    _look_at(call, one)
    finally:
        look.declared.set()


def _look_at(call: Call, items: Items) -> None:
    """Can the relation be read as it was declared, and are the items those that are known?"""
    if items.reach is not None:
        probed(call, call.need(items.reach), items)
    items_fingerprint(call, items)
