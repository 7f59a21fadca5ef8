"""Engines: the marginals of a protected relation, from memory or from SQL, behind one interface (DESIGN 6)."""

from __future__ import annotations

from dataclasses import dataclass

from msd_sql.candidates import Candidates
from msd_sql.declarations import Items, Protected
from msd_sql.engines import memory, sql
from msd_sql.engines.binding import bound
from msd_sql.engines.choice import ENGINES, check_engine, choose_engine, estimated_rows
from msd_sql.engines.index import INDEXES, Indexes, Place
from msd_sql.engines.steps import Step
from msd_sql.engines.workspace import Workspace
from msd_sql.host import Host
from msd_sql.udfs.coverage import Coverage
from msd_sql.udfs.types import Relevance

__all__ = ["ENGINES", "INDEXES", "EnginePlan", "Indexes", "Step", "build", "check_engine", "describe"]


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
    check_engine(engine)
    return _coverage(host, protected, candidates, k, cap or protected.cap, engine, session, content)


def describe(
    host: Host, protected: Protected, candidates: Candidates, *, cap: int | None = None, engine: str = "auto"
) -> EnginePlan:
    """The engine that `build` would take and its statements; reads statistics and column types, no row.

    >>> [step.name for step in describe(host, purchases, candidates, engine="sql").steps]
    ['pairs', 'totals', 'chosen', 'full', 'losses']
    """
    chosen = choose_engine(host, protected, candidates.n, estimated_rows(host, protected), engine)
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
    session: Indexes | None,
    content: str | None,
) -> Relevance:
    rows = estimated_rows(host, protected)
    chosen = choose_engine(host, protected, candidates.n, rows, engine)
    if chosen == "sql" and protected.unit is not None:
        with bound(host, protected, candidates) as binding:
            return sql.SqlCoverage(Workspace(host, protected.name), binding, protected.m, cap)
    place = None
    if session is not None and content is not None:
        place = Place(protected.name, f"coverage {protected.unit} {protected.item}", content, candidates.type)
        found = session.find(place, candidates)
        if found:
            return Coverage(found.index, protected.m, k, cap, found.codes)
    with bound(host, protected, candidates) as binding:
        index = memory.coverage_index(host, binding, rows)
    if place is not None and session is not None:
        session.keep(place, candidates, index, index.nbytes)
    return Coverage(index, protected.m, k, cap)
