"""The storage layout: how a table lies in its file; while that is the same, so are its rows: they need not be read.

DuckDB has no version of a table's content to ask for. But if every row that the table stores is visible, none was
updated and all lie in the file, then another content needs a write to the file (docs/privacy.md, section 7).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from msd_sql.database.host import Host
from msd_sql.database.private_reads import private_rows
from msd_sql.database.sql_text import Name, literal
from msd_sql.errors import EngineError

_SETTLED = 2_000_000_000  # ns: a file that was written to just now may be again, with no later time to show for it
_STORED = """
SELECT
    (SELECT count(*) FROM {table}),
    sum(count) FILTER (WHERE column_path = '[0, 0]' AND segment_type = 'VALIDITY'),
    bool_and(persistent AND NOT has_updates),
    list(column_name),
    sum(hash(row_group_id, column_name, column_path, segment_id, segment_type, start, count, compression,
             stats, block_id, block_offset, additional_block_ids))::VARCHAR
FROM pragma_storage_info({name})
"""


@dataclass(frozen=True)
class Table:
    """A table that DuckDB itself stores; its object id tells it from one that takes its place."""

    name: Name
    object_id: str
    file: str | None  # None: in memory


def storage_fingerprint(host: Host, table: Table, columns: Collection[str]) -> str | None:
    """How these columns of a table lie in its file; None where rows could change and that not.

    `host` is in a transaction, whose rows are meant.

    >>> storage_fingerprint(host, Table(purchases.relation, "2048", "/no/such/file"), ["user_id", "item_id"]) is None
    True
    """
    before = _written(table.file)
    if before is None or '"' in f"{table.name.database}{table.name.schema}{table.name.name}":
        return None
    sql = _STORED.format(table=table.name.sql, name=literal(table.name.sql))
    try:
        visible, stored, lasting, found, marks = private_rows(host, sql, str(table.name))[0]
    except EngineError:
        return None
    if visible != stored or not lasting or not set(columns) <= set(found) or _written(table.file) != before:
        return None
    return f"{table.object_id} {table.file} {before} {marks} {list(columns)}"


class Layouts:
    """The content of each table as it was last read, by its layout; several threads may use it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}
        self._lock = threading.Lock()

    def content(self, name: str, stored_as: str | None, read: Callable[[], str]) -> str:
        """What is known of a table that is stored so, or what `read` tells now.

        >>> layouts = Layouts()
        >>> [layouts.content("purchases", stored_as, lambda: "2600000 rows") for stored_as in ("here", "here", None)]
        ['2600000 rows', '2600000 rows', '2600000 rows']
        """
        if stored_as is None:
            return read()
        with self._lock:
            known = self._known.get(name)
        if known is None or known[0] != stored_as:
            known = stored_as, read()
            with self._lock:
                self._known[name] = known
        return known[1]


def _written(file: str | None) -> str | None:
    """The time of the last write to a file; None if the next one might not show (Windows writes it down late)."""
    if file is None or os.name == "nt":
        return None
    try:
        told = Path(file).stat()
    except OSError:
        return None
    if time.time_ns() - told.st_mtime_ns < _SETTLED:
        return None
    return f"{told.st_ino} {told.st_size} {told.st_mtime_ns}"
