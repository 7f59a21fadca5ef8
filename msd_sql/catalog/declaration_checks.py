"""Checking what an owner declares, before anything is written (docs/sql.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlglot

from msd_sql.catalog.collations import check_collations, check_spark_collations
from msd_sql.catalog.relations import Relations, spelled
from msd_sql.catalog.similarity import check_similarity, similarity_columns
from msd_sql.database.host import Host, HostError
from msd_sql.database.private_reads import private_rows
from msd_sql.database.spark_host import SparkHost, relation_name
from msd_sql.database.sql_text import Name, fold, quote
from msd_sql.errors import CatalogError, InputError, suggest
from msd_sql.surface.column_types import is_numeric, shape_of
from msd_sql.surface.shared_arguments import relevance_names
from msd_sql.udfs.distances import DISTANCES

MOST_USERS = 2**53
_LARGEST = {"users": MOST_USERS}


def check_protected(
    host: Host,
    relations: Relations,
    name: Name | None,
    unit: str | None,
    item: str | None,
    relevance: str,
    similarity: str | None,
    cap: int,
    spark: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The columns and the relevance of a protected relation, spelled as the relation spells them.

    `spark` are the columns of a relation that lives there; None where no session tells them.
    """
    if relevance not in relevance_names():
        raise InputError(suggest("relevance", relevance, relevance_names()))
    _whole("cap", cap)
    if relevance == "coverage" and (item is None or similarity is not None):
        raise InputError(
            "relevance 'coverage' needs item := the column that names the item, and no similarity. For a similarity "
            "say relevance := 'best_match'."
        )
    if relevance == "best_match" and (similarity is None or cap != 1):
        raise InputError(
            "relevance 'best_match' needs similarity := one SQL expression over r (the private row) and v (the item "
            "row), and has no cap."
        )
    if name is not None:
        if name.schema == "msd":
            raise CatalogError("Schema msd holds the declarations themselves; its tables cannot be protected.")
        unit = relations.column(name, unit, "unit") if unit is not None else None
        item = relations.column(name, item, "item") if item is not None else None
        columns = relations.columns(name)
        if similarity is not None:
            similarity = check_similarity(host, similarity, columns)
        check_collations(host, name.sql, _read(columns, unit, item, similarity), str(name))
    elif spark is not None:
        unit = spelled(spark, unit, "unit") if unit is not None else None
        item = spelled(spark, item, "item") if item is not None else None
        if similarity is not None:
            similarity = check_similarity(host, similarity, spark)
        check_spark_collations(_read(spark, unit, item, similarity), "the relation")
    return {"unit": unit, "item": item, "relevance": relevance, "similarity": similarity, "cap": cap}


def _read(columns: Mapping[str, str], unit: str | None, item: str | None, similarity: str | None) -> dict[str, str]:
    """The columns that an answer depends on, with their types."""
    named = {fold(column) for column in (unit, item, *(similarity_columns(similarity) if similarity else ())) if column}
    return {column: kind for column, kind in columns.items() if fold(column) in named}


def count_units(host: Host, name: Name | None, shown: str, unit: str | None, users: int | None) -> int:
    """m: what the owner says, or the units that are there now. A row without a unit belongs to nobody."""
    if users is not None:
        return _whole("users", users)
    if name is None and not isinstance(host, SparkHost):
        raise InputError(
            f"{shown} lives in Spark, and no session is registered that could count its units: "
            "msd_sql.register(con, spark=session), or give users := their public number."
        )
    counted = f"count(DISTINCT {quote(unit)})" if unit is not None else "count(*)"
    source = name.sql if name is not None else relation_name(shown)
    m = int(private_rows(host, f"SELECT {counted} FROM {source}", shown)[0][0])
    if m == 0:
        raise CatalogError(
            f"{shown} has no units yet, as far as committed rows go, so m cannot be counted. COMMIT, load it first, or "
            "give users := the public number of units."
        )
    return m


def spark_columns(host: Host, relation: str) -> dict[str, str]:
    """The columns of a relation of Spark with their types, in order."""
    try:
        return {row[0]: row[1] for row in host.rows(f"DESCRIBE SELECT * FROM {relation_name(relation)}")}
    except (HostError, sqlglot.errors.SqlglotError):
        raise CatalogError(
            f"Spark knows no relation '{relation_name(relation)}', or cannot read it. Give its name as in Spark SQL, "
            "such as 'spark:shop.purchases' (quoted with \" where it must be), and register a session that has it."
        ) from None


def check_items(
    relations: Relations,
    name: Name,
    key: str,
    features: Sequence[str],
    distance: str | None,
    quota: Sequence[str],
    quota_cap: Sequence[int],
) -> dict[str, Any]:
    """The columns of an items relation, spelled as the relation spells them."""
    if distance is not None and distance not in DISTANCES:
        raise InputError(suggest("distance", distance, DISTANCES))
    if quota_cap and len(quota_cap) != len(quota):
        raise InputError(f"quota_cap has {len(quota_cap)} numbers for {len(quota)} quota columns; give one for each.")
    if distance == "precomputed":  # the one feature is a table of pairs, and not a column
        if len(features) != 1:
            raise InputError(
                "precomputed needs features := the name of one public table of two item keys and their distance."
            )
        relations.resolve(features[0])
        columns = tuple(features)
    else:
        columns = tuple(relations.column(name, feature, "features") for feature in features)
        types = relations.columns(name)
        _check_distance(distance, {column: types[column] for column in columns})
    return {
        "key_column": relations.column(name, key, "key"),
        "features": columns,
        "distance": distance,
        "quota": tuple(relations.column(name, column, "quota") for column in quota),
        "quota_cap": tuple(_whole("quota_cap", cap) for cap in quota_cap),
    }


def _check_distance(distance: str | None, features: Mapping[str, str]) -> None:
    """Refuse a distance that columns of these types cannot have: else every question would be refused."""
    shapes = {name: shape_of(f"{kind}[]", None) for name, kind in features.items()}
    nested = [name for name, shape in shapes.items() if shape in ("list", "vector")]
    if nested and len(features) > 1 and distance != "mixed":
        raise InputError(
            f"The list column {nested[0]} must stand alone; declare it as the only one, such as features := "
            f"'{nested[0]}', or say distance := 'mixed'."
        )
    needed = DISTANCES[distance].shapes if distance is not None and features else ()
    if "set" in needed:
        wrong, needs = [name for name, shape in shapes.items() if shape != "list"], "a list column"
    elif {"numbers", "vector", "latlon"} & {*needed}:
        wrong = [name for name, kind in features.items() if not (is_numeric(kind) or shapes[name] == "vector")]
        needs = "columns of numbers, or one column of vectors (FLOAT[], DOUBLE[])"
    else:
        return
    if wrong:
        raise InputError(
            f"{distance} needs {needs}, and {wrong[0]} is {features[wrong[0]]}. Leave distance out, or give others."
        )
    if needed == ("latlon",) and not nested and len(features) != 2:
        raise InputError(
            f"{distance} needs two features, latitude and longitude in degrees; {len(features)} were given."
        )


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST.get(name, 2**31 - 1):
        raise InputError(f"{name} must be a whole number of at least 1; got {value}.")
    return value
