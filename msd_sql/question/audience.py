"""Audience: the part of a protected relation's rows that a question is about, and what reach is divided by.

An audience is a filter of rows: a unit outside of it is a unit without rows, so that every bound on one unit's
influence stays what it is. All audiences are charged to the one budget of the relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from msd_sql.catalog.declaration_checks import spark_columns
from msd_sql.catalog.declarations import Audience, Protected
from msd_sql.database.host import Host, HostError
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import quote
from msd_sql.errors import InputError
from msd_sql.question.row_expression import OF_A_SPAN, RowExpression, row_expression
from msd_sql.runtime.call import Call

AMONG = "among"


def audience(call: Call, protected: Protected, among: str | None, users: int | None = None) -> Protected:
    """The relation as a question about part of its people sees it; itself where nothing was said.

    >>> audience(call, purchases, "item_id < 10", 120).m
    120
    """
    if users is not None:
        protected = replace(protected, m=users)
    if among is None:
        return protected
    found = call.once((AMONG, protected.name, among), lambda: _checked(call, protected, among))
    return replace(protected, audience=found)


def _checked(call: Call, protected: Protected, among: str) -> Audience:
    host, spark = call.holder(protected), protected.in_spark
    if spark:
        columns = {name: _from_spark(kind) for name, kind in spark_columns(host, protected.name).items()}
    else:
        with private(protected.name):
            columns = {row[0]: row[1] for row in host.rows(f"DESCRIBE SELECT * FROM {protected.sql}")}
    found = row_expression(call.host, AMONG, among, columns, spark=spark)
    if spark and "\\" in found.sql:
        raise InputError("among: a backslash means something else in Spark; write the expression without one.")
    _try_out(call.host, found, columns)
    with private(protected.name):
        host.rows(f"DESCRIBE SELECT ({found.sql}) AS among FROM {protected.sql} AS r")
    if spark:
        return Audience(found.sql, found.columns, str(host.rows("SELECT current_timezone()")[0][0]))
    return Audience(found.sql, found.columns, _zone(host, found, columns))


def _try_out(host: Host, found: RowExpression, columns: Mapping[str, str]) -> None:
    """Run it on a row of NULLs, and not on the relation: what DuckDB says of it is then public.

    A pattern that is no pattern fails here, whatever the rows are.
    """
    row = ", ".join(f"CAST(NULL AS {kind}) AS {quote(name)}" for name, kind in columns.items())
    source = f"(SELECT {row} FROM range(1)) AS r"
    try:
        kind = str(host.rows(f"DESCRIBE SELECT ({found.sql}) AS among FROM {source}")[0][1])
        host.rows(f"SELECT TRY({found.sql}) FROM {source}")
        kinds = [str(host.rows(f"DESCRIBE SELECT ({moment}) AS m FROM {source}")[0][1]) for _, moment in found.moments]
    except HostError as error:
        said = str(error).strip().splitlines()[0]
        raise InputError(f"among: '{found.sql}' does not fit the columns of the relation: {said}") from None
    if kind.upper() != "BOOLEAN":
        raise InputError(
            f"among must be true or false for a row, but '{found.sql}' is {kind}; compare it with a value."
        )
    for (part, moment), span in zip(found.moments, kinds, strict=True):
        # DuckDB would say so of a row that has a value, and TRY does not hold that back.
        if not (span.startswith(("DATE", "TIMESTAMP")) or (span == "INTERVAL" and part in OF_A_SPAN)):
            raise InputError(f"among: there is no {part} of '{moment}', which is {span}; take it of a date.")


def _zone(host: Host, found: RowExpression, columns: Mapping[str, str]) -> str | None:
    """The time zone, if what an expression says of a row can depend on it."""
    spoken = [found.sql.upper(), *(columns[name] for name in found.columns)]
    if not any(word in text for text in spoken for word in ("TIME ZONE", "TIMESTAMPTZ", "TO_TIMESTAMP")):
        return None
    return str(host.rows("SELECT current_setting('TimeZone')")[0][0])


def _from_spark(kind: str) -> str:
    return exp.DataType.build(kind, dialect="spark").sql("duckdb")
