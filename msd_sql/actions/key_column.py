"""The key column: which column of a table names its items, where the SQL does not say (`msd_topk`, `msd_explain`)."""

from __future__ import annotations

from collections.abc import Sequence

from msd_sql.database.sql_text import fold
from msd_sql.errors import CatalogError, InputError, suggest, uncharged
from msd_sql.question.source import guarded, says_public
from msd_sql.runtime.call import Call


def key_column(call: Call, names: Sequence[str] | None, first: str | None, last: str | None) -> str | None:
    """The key column's name: what the call says, or what was declared of the relation that the rows come from.

    `first` and `last` are the least and the largest of what was given as key: the same text, if it is a name.
    """
    if names is None:
        return None  # no rows
    with uncharged():
        return _key(call, names, first, last)


def _key(call: Call, names: Sequence[str], first: str | None, last: str | None) -> str:
    asserted = says_public(call)
    sources = guarded(call, public=asserted)  # first of all: column names can be made of private values
    if first is not None:
        if first != last:
            raise InputError("key must be the name of a column in quotes, such as key := 'item_id'.")
        return _named(names, first, [] if asserted else names)
    found = {str(name) for name in sources.rows}
    keys = [items.key_column for items in call.items() if items.name in found]
    keys = list(dict.fromkeys(key for key in keys if fold(key) in {fold(name) for name in names}))
    if len(keys) == 1:
        return _named(names, keys[0], names)
    listed = "" if asserted else f" Columns: {', '.join(names)}."
    said = f"several declared keys are among its columns ({', '.join(keys)})" if keys else "nothing was declared of it"
    raise CatalogError(
        f"Which column names an item? {said.capitalize()}. Say key := 'item_id', or declare the relation: "
        f"msd_items('products', key := 'item_id', …).{listed}"
    )


def _named(names: Sequence[str], given: str, shown: Sequence[str]) -> str:
    for name in names:
        if fold(name) == fold(given):
            return name
    raise InputError(f"key: {suggest('column', given, shown)}")
