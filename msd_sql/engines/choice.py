"""Which engine: the memory engine while its index fits well into the memory that DuckDB may use, else sql.

The estimate reads the optimizer's statistics and settings, never a row; it decides how long an answer takes, not what
it is, and no number of it is shown.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msd_sql.catalog.declarations import Protected
from msd_sql.database.host import Host
from msd_sql.database.private_reads import private
from msd_sql.errors import InputError, suggest
from msd_sql.surface.shared_arguments import ENGINES
from msd_sql.udfs.relevance.best_match_index import unit_room

_PURCHASE = 14  # bytes that a purchase takes in the memory engine while its index is made
_MATCH = 12  # the same for a (unit, candidate) pair with a similarity
_SHARE = 0.5  # of the memory limit: DuckDB's own buffers and the rest of the process need the other half
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50}


def check_engine(engine: str) -> str:
    """The engine's name if there is one of that name.

    >>> check_engine("memory")
    'memory'
    """
    if engine not in ENGINES:
        raise InputError(suggest("engine", engine, ENGINES))
    return engine


def check_home(protected: Protected, engine: str) -> None:
    """Refuse an engine that cannot reach the relation: Spark holds its own relations, DuckDB the others.

    >>> check_home(purchases, "sql")
    """
    if protected.in_spark and check_engine(engine) in ("memory", "sql"):
        raise InputError(f"{protected.name} lives in Spark, so that engine := '{engine}' cannot read it; use 'spark'.")
    if not protected.in_spark and check_engine(engine) == "spark":
        raise InputError(
            f"{protected.name} lives in DuckDB. engine := 'spark' reads relations of a Spark session, which are "
            "declared as msd_protect('spark:shop.purchases', …)."
        )


def choose_engine(host: Host, protected: Protected, n: int, rows: int, engine: str = "auto") -> str:
    """'memory' or 'sql' for n candidates and a relation of about so many rows."""
    if check_engine(engine) == "memory" and protected.relevance == "best_match" and protected.m > unit_room(n):
        raise InputError(
            f"engine := 'memory' cannot tell {protected.m} units apart beside {n} candidates; leave the engine to auto."
        )
    if engine != "auto":
        return engine
    return "memory" if index_bytes(protected, n, rows) <= _SHARE * memory_limit(host) else "sql"


def index_bytes(protected: Protected, n: int, rows: int) -> int:
    """What the memory engine would need: every row may be of a candidate, and every unit may match every candidate."""
    if protected.relevance == "best_match":
        if protected.m > unit_room(n):  # an index cannot tell so many units apart
            return 1 << 62
        return rows * (1 if protected.item else n) * _MATCH
    return 0 if protected.unit is None else rows * _PURCHASE


def estimated_rows(host: Host, protected: Protected) -> int:
    """The optimizer's estimate of the relation's rows: exact for a table, from the footers for Parquet files."""
    with private(protected.name):
        plan = host.rows(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM {protected.sql}")
    return _cardinality(json.loads(plan[0][1]))


def memory_limit(host: Host) -> int:
    """The bytes that DuckDB may use."""
    return parse_size(str(host.rows("SELECT current_setting('memory_limit')")[0][0]))


def parse_size(text: str) -> int:
    """Bytes of a size as DuckDB prints it.

    >>> parse_size("1.5 GiB"), parse_size("512 bytes")
    (1610612736, 512)
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGTP]?)(i?)(?:B|bytes)?\s*", text, re.IGNORECASE)
    if not found:
        return 1 << 62  # no limit is set
    number, prefix, binary = found.groups()
    power = _UNITS[prefix.upper()]
    return int(float(number) * (2**power if binary or not prefix else 10 ** (power // 10 * 3)))


def _cardinality(plan: list[dict[str, Any]]) -> int:
    """The estimate of the first operator that has one, from the top of the plan."""
    for node in plan:
        shown = str(node.get("extra_info", {}).get("Estimated Cardinality", "")).strip("~ ")
        if shown.isdigit():
            return int(shown)
        below = _cardinality(node.get("children", []))
        if below:
            return below
    return 0
