"""Engines: the marginals of a protected relation, from memory or from SQL, behind one interface (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msd_sql.candidates import Candidates
from msd_sql.declarations import Items, Protected
from msd_sql.engines import matches, memory, sql, sql_match
from msd_sql.engines.binding import bound
from msd_sql.engines.choice import ENGINES, check_engine, choose_engine, estimated_rows
from msd_sql.engines.index import Found, Indexes, Place
from msd_sql.engines.matching import matched, public_content
from msd_sql.engines.steps import Step
from msd_sql.engines.workspace import Workspace
from msd_sql.host import Host
from msd_sql.udfs.best_match import BestMatch, BestMatchIndex
from msd_sql.udfs.coverage import Coverage, CoverageIndex
from msd_sql.udfs.types import Relevance

__all__ = ["ENGINES", "EnginePlan", "Indexes", "Step", "build", "check_engine", "describe"]


@dataclass(frozen=True)
class EnginePlan:
    """What would run, for `msd_explain`: public names and statements, no figure of the private relation."""

    engine: str
    steps: tuple[Step, ...]


def build(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    *,
    k: int,
    cap: int | None = None,
    engine: str = "auto",
    session: Indexes | None = None,
    items: Items | None = None,
    content: str | None = None,
) -> Relevance:
    """The relevance of the candidates over a protected relation, ready for the selection loop.

    `session` keeps and reuses indexes; `content` is the relation's fingerprint, if the caller knows it already.

    >>> build(host, purchases, Candidates(["1", "2", "3"], "BIGINT"), k=2).gains()
    array([812, 40, 0])
    """
    rows = estimated_rows(host, protected)
    chosen = choose_engine(host, protected, candidates.n, rows, engine)
    if protected.relevance == "best_match":
        return _best_match(host, protected, candidates, chosen, items, session, content)
    return _coverage(host, protected, candidates, k, cap or protected.cap, chosen, rows, session, content)


def describe(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    *,
    cap: int | None = None,
    engine: str = "auto",
    items: Items | None = None,
) -> EnginePlan:
    """Tell the engine that `build` would take and its statements; reads statistics and column types, no row.

    >>> [step.name for step in describe(host, purchases, candidates, engine="sql").steps]
    ['pairs', 'totals', 'chosen', 'full', 'losses']
    """
    chosen = choose_engine(host, protected, candidates.n, estimated_rows(host, protected), engine)
    if protected.relevance == "best_match":
        with matched(host, protected, candidates, items) as matching:
            if chosen == "memory":
                return EnginePlan(chosen, (*matching.kept, matches.match_keys_step(matching)))
            return EnginePlan(chosen, tuple(sql_match.match_steps(matching)))
    with bound(host, protected, candidates) as binding:
        if protected.unit is None:
            return EnginePlan(chosen, (memory.counts_step(binding),))
        if chosen == "memory":
            return EnginePlan(chosen, (memory.keys_step(binding),))
        return EnginePlan(chosen, tuple(sql.greedy_steps(binding, cap or protected.cap)))


def _coverage(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    k: int,
    cap: int,
    engine: str,
    rows: int,
    session: Indexes | None,
    content: str | None,
) -> Relevance:
    if engine == "sql" and protected.unit is not None:
        with bound(host, protected, candidates) as binding:
            return sql.SqlCoverage(Workspace(host, protected.name), binding, protected.m, cap)

    def read() -> CoverageIndex:
        with bound(host, protected, candidates) as binding:
            return memory.coverage_index(host, binding, rows)

    about = f"coverage of {protected.item} by {protected.unit}"
    found = _indexed(session, content, about, protected, candidates, read)
    return Coverage(found.index, protected.m, k, cap, found.codes)


def _best_match(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    engine: str,
    items: Items | None,
    session: Indexes | None,
    content: str | None,
) -> Relevance:
    if engine == "sql":
        with matched(host, protected, candidates, items) as matching:
            return sql_match.SqlBestMatch(Workspace(host, protected.name), matching, protected.m)

    def read() -> BestMatchIndex:
        with matched(host, protected, candidates, items) as matching:
            return matches.match_index(host, matching)

    about = f"best_match by {protected.unit} and {protected.item}: {protected.similarity}"
    if session is not None:
        about += f" with {public_content(host, protected, items)}"
    found = _indexed(session, content, about, protected, candidates, read)
    return BestMatch(found.index, protected.m, found.codes)


def _indexed(
    session: Indexes | None,
    content: str | None,
    about: str,
    protected: Protected,
    candidates: Candidates,
    read: Callable[[], Any],
) -> Found:
    if session is None or content is None:
        return Found(read(), None)
    place = Place(protected.name, about, content, candidates.type)
    found = session.find(place, candidates)
    if found is None:
        found = Found(read(), None)
        session.keep(place, candidates, found.index, found.index.nbytes)
    return found
