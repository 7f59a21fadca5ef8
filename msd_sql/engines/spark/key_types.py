"""Types on their way from DuckDB to Spark: keys and the public columns that a similarity reads."""

from __future__ import annotations

from dataclasses import replace

import sqlglot
from sqlglot import exp

from msd_sql.engines.candidates import Candidates
from msd_sql.errors import EngineError

_KNOWN = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "TINYINT",
    "SMALLINT": "SMALLINT",
    "INTEGER": "INT",
    "BIGINT": "BIGINT",
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INT",
    "UINTEGER": "BIGINT",
    "UBIGINT": "DECIMAL(20, 0)",
    "HUGEINT": "DECIMAL(38, 0)",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "VARCHAR": "STRING",
    "UUID": "STRING",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
}


def spark_type(kind: str, what: str) -> str:
    """Spark's name of a DuckDB type; an EngineError where Spark has none.

    >>> spark_type("UBIGINT", "column stock"), spark_type("DECIMAL(9,2)", "column price")
    ('DECIMAL(20, 0)', 'DECIMAL(9, 2)')
    """
    if kind in _KNOWN:
        return _KNOWN[kind]
    if kind.startswith("ENUM"):
        return "STRING"
    if kind.startswith("DECIMAL"):
        return exp.DataType.build(kind, dialect="duckdb").sql("spark")
    raise EngineError(
        f"{what} has the type {kind}, which a similarity in Spark cannot read. Use columns of numbers, texts, dates or "
        "booleans there."
    )


def readable_candidates(candidates: Candidates) -> Candidates:
    """The candidates with a type that Spark can read; keys of any other type are compared as texts.

    >>> readable_candidates(Candidates(["1"], "UBIGINT")).type
    'DECIMAL(20, 0)'
    """
    try:
        kind = sqlglot.parse_one(f"CAST(x AS {spark_type(candidates.type, 'key')})", dialect="spark").args["to"]
    except EngineError:
        return replace(candidates, type="VARCHAR")
    return replace(candidates, type=kind.sql("duckdb"))
