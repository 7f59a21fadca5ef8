"""What tells the rows that an answer is computed from, worked out beside the call that asks."""

from __future__ import annotations

import secrets

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.database.background import BackgroundRead
from msd_sql.database.host import Host
from msd_sql.database.private_reads import private
from msd_sql.database.storage_layout import storage_fingerprint
from msd_sql.engines.similarity_steps import public_content
from msd_sql.errors import EngineError
from msd_sql.runtime.call import Call
from msd_sql.runtime.release_memory import content_columns, content_fingerprint


def rows_content(call: Call, items: Items | None, protected: Protected) -> BackgroundRead[str]:
    """What the relevance is computed from: the private rows, and the item rows if a similarity reads them."""

    # An index or a release must never be kept as one of rows that came after it: the fingerprint sees the rows before
    # they are read (`BackgroundRead`). A view may read files, which have no transactions: there it comes first.
    def begin() -> BackgroundRead[str]:
        stored = call.stored(protected.relation) if protected.relation is not None else None
        layouts = call.instance.caches.layouts
        columns = content_columns(protected)

        def work(host: Host) -> str:
            public = call.host if protected.in_spark else host
            try:
                stored_as = storage_fingerprint(host, stored, columns) if stored else None
                rows = layouts.content(
                    f"{protected.name} {columns}", stored_as, lambda: content_fingerprint(host, protected)
                )
                if protected.similarity is None or items is None:
                    return rows
                return f"{rows} {public_content(public, protected, items)}"
            except EngineError:  # like nothing that was ever seen: what fails to be read fails after the charge
                return secrets.token_hex()

        with private(protected.name):
            return call.background(call.holder(protected), work, protected.sql if stored else None)

    read = protected.audience.columns if protected.audience else ()
    return call.once(("content", protected.name, read, items.name if items else None), begin)
