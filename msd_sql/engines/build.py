"""Engines: the marginals of a protected relation, from memory or from SQL, behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, wraps
from typing import ParamSpec, TypeVar

import numpy as np

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.database.host import Host
from msd_sql.database.spark_host import SparkHost
from msd_sql.engines.binding import bound, is_exact
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.candidates_union import side_by_side, union
from msd_sql.engines.choice import check_engine, check_home, choose_engine, estimated_rows
from msd_sql.engines.index_cache import CachedIndex, Indexes, IndexKey
from msd_sql.engines.memory.best_match import match_index
from msd_sql.engines.memory.coverage import coverage_index
from msd_sql.engines.similarity_steps import matched, public_content
from msd_sql.engines.sql.best_match import SqlBestMatch
from msd_sql.engines.sql.coverage import SqlCoverage
from msd_sql.engines.workspace import Workspace
from msd_sql.errors import EngineError
from msd_sql.udfs.relevance.best_match import BestMatch, BestMatchIndex
from msd_sql.udfs.relevance.coverage import Coverage, CoverageIndex
from msd_sql.udfs.relevance.coverage_of_groups import CoverageOfGroups
from msd_sql.udfs.relevance.dense_best_match import DenseBestMatch, DenseBestMatchIndex
from msd_sql.udfs.types import Relevance, RelevanceOfGroups

__all__ = [
    "Indexes",
    "asked_before",
    "build",
    "build_groups",
    "check_engine",
    "check_home",
    "keep_index",
    "prepared",
]

P = ParamSpec("P")
T = TypeVar("T")

_MOST_A_ROW = 16  # bytes that an index of coverage may take for a row
_SHARED = 4  # times that a pair may be kept in a database, because groups share items


def _enough_memory(building: Callable[P, T]) -> Callable[P, T]:
    """Say that there was not enough memory, and not for how many rows: numpy's own error quotes a size."""

    @wraps(building)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        with suppress(MemoryError):
            return building(*args, **kwargs)
        raise EngineError(
            "There was not enough memory for the memory engine's index. Use engine := 'sql', which leaves the rows in "
            "the database, or a lower memory_limit, by which engine := 'auto' chooses."
        )

    return guarded


@_enough_memory
def build(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    *,
    k: int,
    cap: int | None = None,
    engine: str = "auto",
    indexes: Indexes | None = None,
    items: Items | None = None,
    content: Callable[[], str] | None = None,
    public: Host | None = None,
) -> Relevance:
    """The relevance of the candidates over a protected relation, ready for the selection loop.

    `host` is where the relation lives, `public` where the items do, if that is another one. `session` keeps and
    reuses indexes; `content` tells the relation's fingerprint, and is not asked where no index is kept or reused.

    >>> build(host, purchases, Candidates(["1", "2", "3"], "BIGINT"), k=2).gains()
    array([110, 81, 85])
    """
    check_home(protected, engine)
    if isinstance(host, SparkHost):
        from msd_sql.engines.spark.build import build_in_spark

        return build_in_spark(host, public or host, protected, candidates, k=k, cap=cap or protected.cap, items=items)
    found = _index_or_none(host, protected, candidates, engine, indexes, items, content)
    if found is None:
        return _in_sql(host, protected, candidates, items, cap or protected.cap)
    return _relevance(protected, found, k, cap)


@_enough_memory
def build_groups(
    host: Host,
    protected: Protected,
    groups: Sequence[Candidates],
    *,
    cap: int | None = None,
    engine: str = "auto",
    indexes: Indexes | None = None,
    content: Callable[[], str] | None = None,
) -> RelevanceOfGroups | None:
    """The coverage of the candidates of many groups, side by side; None where each group has to be asked about alone.

    That is so for best_match, and where groups share so many items that every pair would be kept many times over.

    >>> build_groups(host, purchases, [three_products, three_products]).n
    6
    """
    check_home(protected, engine)
    everything = union(groups)
    if protected.relevance == "best_match" or everything is None:
        return None
    most = cap or protected.cap
    crowded = len(everything.places) > _SHARED * everything.candidates.n
    if isinstance(host, SparkHost):
        from msd_sql.engines.spark.build import groups_in_spark

        return None if crowded else groups_in_spark(host, protected, groups, cap=most)
    if not is_exact(everything.candidates.type):  # two groups' keys may be one item, which an index holds once
        return None
    found = _index_or_none(host, protected, everything.candidates, engine, indexes, None, content)
    if found is None:
        return None if crowded else _groups_in_sql(host, protected, groups, most)
    codes = everything.places if found.codes is None else found.codes.take(everything.places)
    index = found.index.of_groups(codes, np.array([group.n for group in groups], dtype=np.int64))
    return None if index is None else CoverageOfGroups(index, most)


def _index_or_none(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    engine: str,
    indexes: Indexes | None,
    items: Items | None,
    content: Callable[[], str] | None,
) -> CachedIndex | None:
    """An index of the candidates, kept or read now; None where the rows stay in the database."""
    kept = indexes if content is not None and engine != "sql" else None

    @cache  # it reads the item rows of a similarity
    def place() -> IndexKey:
        assert content is not None  # or nothing is kept
        return IndexKey(_read(protected), _about(host, protected, items), content(), candidates.type)

    found = kept.find(place(), candidates) if kept is not None and kept.content(_read(protected)) else None
    if found is None:
        rows = estimated_rows(host, protected)
        if choose_engine(host, protected, candidates.n, rows, engine) == "sql" and not only_counts(protected):
            return None
        found = CachedIndex(_index(host, protected, candidates, items), None)
        if kept is not None:
            kept.keep(place(), candidates, found.index, found.index.nbytes)
    return found


@_enough_memory
def keep_index(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    engine: str,
    indexes: Indexes,
    items: Items | None,
    content: Callable[[], str],
) -> None:
    """Have an index of the candidates kept, if the memory engine is the one to take; those of fewer are let go of.

    Not where it might be too large to be kept: it would be made for nothing, again and again.

    >>> keep_index(host, purchases, three_products, "auto", Indexes(), None, lambda: "rows")
    """
    if _MOST_A_ROW * estimated_rows(host, protected) > indexes.limit:
        return
    _index_or_none(host, protected, candidates, engine, indexes, items, content)


def asked_before(protected: Protected, indexes: Indexes) -> bool:
    """Is an index of the relation kept, whatever candidates it is of? Of similarities each has a price of its own.

    >>> asked_before(purchases, Indexes())
    False
    """
    return protected.relevance == "coverage" and indexes.content(_read(protected)) is not None


def prepared(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    *,
    k: int,
    indexes: Indexes,
    cap: int | None = None,
    items: Items | None = None,
) -> tuple[Relevance, str] | None:
    """The relevance from a kept index, and the content that it is of: it must be the relation's when an answer leaves.

    >>> prepared(host, purchases, Candidates(["1", "2", "3"], "BIGINT"), k=2, indexes=Indexes())
    """
    content = indexes.content(_read(protected))
    if content is None:
        return None
    place = IndexKey(_read(protected), _about(host, protected, items), content, candidates.type)
    found = indexes.find(place, candidates)
    return None if found is None else (_relevance(protected, found, k, cap), content)


def _relevance(protected: Protected, found: CachedIndex, k: int, cap: int | None) -> Relevance:
    if protected.relevance == "best_match":
        kind = DenseBestMatch if isinstance(found.index, DenseBestMatchIndex) else BestMatch
        return kind(found.index, protected.m, found.codes)
    return Coverage(found.index, protected.m, k, cap or protected.cap, found.codes)


def _in_sql(host: Host, protected: Protected, candidates: Candidates, items: Items | None, cap: int) -> Relevance:
    if protected.relevance == "best_match":
        with matched(host, protected, candidates, items) as matching:
            workspace = Workspace(host, protected.name, matching.serial)
            return SqlBestMatch(workspace, matching, protected.m)
    with bound(host, protected, candidates) as binding:
        workspace = Workspace(host, protected.name, binding.serial, binding.names)
        return SqlCoverage(workspace, binding, protected.m, cap)


def _groups_in_sql(host: Host, protected: Protected, groups: Sequence[Candidates], cap: int) -> RelevanceOfGroups:
    listed, group_of = side_by_side(groups)
    with bound(host, protected, listed, groups=group_of) as binding:
        return SqlCoverage(Workspace(host, protected.name, binding.serial, binding.names), binding, protected.m, cap)


def _index(
    host: Host, protected: Protected, candidates: Candidates, items: Items | None
) -> CoverageIndex | BestMatchIndex | DenseBestMatchIndex:
    if protected.relevance == "best_match":
        with matched(host, protected, candidates, items) as matching:
            return match_index(host, matching)
    with bound(host, protected, candidates, look_up=True) as binding:
        return coverage_index(host, binding)


def only_counts(protected: Protected) -> bool:
    """Where every row is a unit of its own, coverage is a count per item: either engine asks the same statement."""
    return protected.relevance == "coverage" and protected.unit is None


def _read(protected: Protected) -> str:
    """The relation, and the columns of it that an audience reads: what a fingerprint of the rows is about."""
    return f"{protected.name} {protected.audience.columns}" if protected.audience else protected.name


def _about(host: Host, protected: Protected, items: Items | None) -> str:
    """Everything but the private rows that decides what an index holds."""
    if protected.relevance == "best_match":
        public = public_content(host, protected, items)
        about = f"best_match by {protected.unit} and {protected.item}: {protected.similarity} of {public}"
    else:
        about = f"coverage of {protected.item} by {protected.unit}"
    return f"{about}, {protected.audience}"
