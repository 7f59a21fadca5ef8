"""Prefetch: the catalog is looked at while DuckDB still works out the arguments of a selection.

DuckDB takes its time to tell what a connection sees (caller.sql), and this runs beside it. Whatever it finds is kept
for this one statement and would be looked up anyway; nothing is refused, charged or read here.
"""

from __future__ import annotations

from contextlib import suppress

from msd_sql.database.host import HostError
from msd_sql.errors import MsdError
from msd_sql.question.item_columns import column_types, items_fingerprint
from msd_sql.question.prepare import guarded, probed
from msd_sql.runtime.call import Call


def prefetch(call: Call) -> str:
    """Look at what the statement will need if its connection has nothing of its own; the number of the statement."""
    with suppress(MsdError, HostError):  # whoever needs it says what is wrong
        _look(call)
    return str(call.context.query)


def _look(call: Call) -> None:
    names = {str(name) for name in guarded(call, public=False).rows}
    reached = {items.reach: items for items in call.items() if items.name in names}
    for items in reached.values():
        column_types(call, items)
        items_fingerprint(call, items)
    for protected in call.protected():
        if protected.name in reached and not protected.in_spark:
            call.identity(protected.home)
            probed(call, protected, reached[protected.name])
