"""Bind time: what a selection has to be told of its caller, found out while its statement is bound.

DuckDB lists all of its functions to tell a connection's macros, which takes longer than everything else in a selection
from a thousand rows. Only the guard asks for them, and it has nothing to ask where no database has a schema msd. What
is protected between this look and the guard's own is noticed there (`guarded`).
"""

from __future__ import annotations

from msd_sql.database.host import HostError
from msd_sql.errors import MsdError
from msd_sql.runtime.instance import Instance

WITH_MACROS = "SELECT _msd_prefetching(_msd_session())"
WITHOUT_MACROS = "SELECT _msd_prefetching(_msd_seen(NULL))"
_HOMES = "SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'msd' LIMIT 1"
_ANY = -1  # the number of no connection: whichever is open will do


def caller_query(instance: Instance) -> str:
    """The statement that tells a selection of its caller; all of it, once a schema msd has been seen.

    >>> caller_query(instance)
    'SELECT _msd_prefetching(_msd_session())'
    """
    if not instance.declared:
        try:
            with instance.host(_ANY) as host:
                if not host.rows(_HOMES):
                    return WITHOUT_MACROS
        except (MsdError, HostError):  # whoever needs it says what is wrong
            return WITH_MACROS
        instance.declared = True
    return WITH_MACROS
