"""Late functions: a database is told of our functions by their types; what they call is loaded with the first call.

Python can register scalar functions only. `side_effects`: DuckDB neither folds them nor runs them for EXPLAIN, PREPARE
or LIMIT 0; `special` NULL handling: an empty input still arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import duckdb

from msd_sql.surface.entry_types import ENTRIES, EntryType

Run = Callable[..., Any]


def create_functions(con: duckdb.DuckDBPyConnection, token: str, load: Callable[[], Mapping[str, Run]]) -> list[Run]:
    """Register the functions on the database of a connection; `load` tells what they do, by name, when one is called.

    >>> con = duckdb.connect()
    >>> kept = create_functions(con, "a token", lambda: {"_msd_probe": lambda name: f"SELECT {name}()"})
    >>> con.execute("SELECT _msd_instance(), _msd_probe('now')").fetchall()
    [('a token', 'SELECT now()')]
    """
    loaded = cache(load)
    made: list[Run] = []
    for entry in ENTRIES.values():
        # A registration asks for the token: nothing has to be loaded for it.
        run: Run = (lambda: token) if entry.name == "_msd_instance" else _late(entry, loaded)
        made.append(run)
        make: Any = con.create_function  # its annotations do not know that the names of types and kinds do as well
        make(
            entry.name,
            run,
            None if "ANY" in entry.parameters else list(entry.parameters),  # None: as many and whatever come
            entry.returns,
            type="arrow" if entry.arrow else "native",
            null_handling="special",
            side_effects=True,
        )
    return made


def _late(entry: EntryType, loaded: Callable[[], Mapping[str, Run]]) -> Run:
    """A function of so many parameters: DuckDB counts them."""
    name = entry.name
    if "ANY" in entry.parameters:
        return lambda *columns: loaded()[name](*columns)
    shapes: dict[int, Run] = {
        1: lambda a: loaded()[name](a),
        2: lambda a, b: loaded()[name](a, b),
        3: lambda a, b, c: loaded()[name](a, b, c),
        4: lambda a, b, c, d: loaded()[name](a, b, c, d),
    }
    return shapes[len(entry.parameters)]
