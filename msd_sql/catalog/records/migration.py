"""Migration: a schema msd of an older layout becomes one of this, and what was spent is carried over conservatively.

Layout 3 kept the picks of an answer as a list. Layout 2 did not know what share of the users an item is expected to
have.

Layout 1 had one account, the sums of ε and δ, and one line an answer. The second account needs the Rényi divergence of
every answer that was ever charged. The receipt of a selection or of a noisy count proves it; an (ε, δ) alone proves
nothing at any order. Where all of them are proved the relation gets its order, which follows from the budget that was
declared before the first question; otherwise it goes on with the sums alone, exactly as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any

from msd_sql.catalog.budget_filter import NOTHING, UNBOUNDED, Budget, Loss, choose_order
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement, utc
from msd_sql.errors import CatalogError
from msd_sql.udfs.privacy.renyi import UNBOUNDED as NO_BOUND
from msd_sql.udfs.privacy.renyi import Divergence

NEWEST = "kept_answers"  # a table that only this layout has
_THIRD = "heads"  # one that layout 3 had first
_SECOND = "releases"  # one that layout 2 had first
_SINCE = {
    1: ("protected", "ledger", _SECOND, "journal", "declared_columns", _THIRD, NEWEST),
    2: (_THIRD, NEWEST),
    3: (NEWEST,),
}
_ADDING = frozenset({"greedy", "nosg", "osg", "rel", "mix"})  # methods of layout 1 whose draws all add a pick
_OLD = ("protected", "ledger")
_SAME = "key, path, unit, item, relevance, similarity, cap, m, budget, delta"


def migrate(host: Host, database: str, schema: Sequence[str], version: int) -> None:
    """Bring an older layout to this one, inside a transaction; `schema` are the statements that create it."""
    tables = host.rows(
        f"SELECT table_name FROM duckdb_tables() WHERE schema_name = 'msd' AND database_name = '{_text(database)}'"
    )
    if (NEWEST,) in tables:
        return  # another thread was faster
    if not {("version",), ("items",)} <= set(tables):
        raise CatalogError(f"Schema msd of database {database} is not one of msd_sql, or not a whole one.")
    layout = 1 if (_SECOND,) not in tables else 2 if (_THIRD,) not in tables else 3
    old = _OLD if layout == 1 else ()
    for table in old:
        host.run(statement(f"ALTER TABLE msd.{table} RENAME TO {table}_1", database))
    for part in schema:
        if any(f"CREATE TABLE msd.{table} " in part for table in _SINCE[layout]):
            host.run(statement(part, database))
    if layout == 1:
        host.run(statement(_LINES, database))
        host.run(statement(_RELEASES, database))
        _accounts(host, database, version)
    else:
        host.run(statement(_KEPT, database))
        host.run(statement("DROP TABLE msd.answers", database))
    for table in old:
        host.run(statement(f"DROP TABLE msd.{table}_1", database))
    host.run(statement("UPDATE msd.version SET version = $version", database, version=version))


_LINES = """
INSERT INTO msd.ledger SELECT id, time, NULL, NULL, relation, kind, '', statement, parameters,
  CASE WHEN kind IN ('select', 'reach', 'exact') THEN 1 ELSE 0 END, CASE WHEN replayed THEN 1 ELSE 0 END, eps, delta,
  CASE WHEN kind IN ('select', 'reach', 'exact', 'replay') THEN relation END,
  charged_eps, charged_delta, 0, 0, NULL, exact, asserted_public
FROM msd.ledger_1
"""
_KEPT = """
INSERT INTO msd.kept_answers SELECT question, content, relation, release, CAST(to_json(picks) AS VARCHAR), diversity
FROM msd.answers
"""
_CHARGES = "SELECT relation, charged_eps, charged_delta, receipt FROM msd.ledger_1 WHERE charged_eps > 0"
_RELEASES = """
INSERT INTO msd.releases SELECT id, id, n, k, method, bound, eps, delta, receipt FROM msd.ledger_1
WHERE kind IN ('select', 'reach', 'exact') ORDER BY time
"""


def _accounts(host: Host, database: str, version: int) -> None:
    """Write every relation with both accounts, and a line that says what was carried over."""
    names = [*_SAME.split(", "), "spent", "spent_delta", "active", "revision", "declared_at"]
    rows = host.rows(statement(f"SELECT {', '.join(names)} FROM msd.protected_1", database))
    charged = host.rows(statement(_CHARGES, database))
    for row in rows:
        known = dict(zip(names, row, strict=True))
        mine = [(eps, delta, json.loads(receipt)) for key, eps, delta, receipt in charged if key == known["key"]]
        alpha = choose_order(known["budget"], known["delta"])
        loss = _carried(Budget(known["budget"], known["delta"], alpha), known["spent"], known["spent_delta"], mine)
        if loss.renyi >= UNBOUNDED:
            alpha = None
        known |= {"alpha": alpha, "spent_renyi": loss.renyi, "spent_clamp": loss.clamp, "answers": len(mine)}
        known |= {"shares": None, "revision": known["revision"] + 1, "declared_at": utc(known["declared_at"])}
        columns = ", ".join(known)
        holes = ", ".join(f"${name}" for name in known)
        host.run(statement(f"INSERT INTO msd.protected ({columns}) VALUES ({holes})", database, **known))
        record = {"layout": version, "alpha": str(alpha) if alpha is not None else None}
        carried = Loss(renyi=loss.renyi, clamp=loss.clamp)
        line = Entry("migrate", "", record, relation=known["key"], charged_to=known["key"], charged=carried)
        insert(host, database, line)


def _carried(
    limits: Budget, eps: Decimal, delta: Decimal, answers: Iterable[tuple[Decimal, Decimal, Mapping[str, Any]]]
) -> Loss:
    """What the second account has to start with: every charge by its receipt, and the rest without one."""
    known = list(answers)
    prices = [limits.price(own, share, proved(receipt)) for own, share, receipt in known]
    total = reduce(Loss.__add__, prices, NOTHING)
    rest = Loss(eps - sum((one[0] for one in known), Decimal(0)), delta - sum((one[1] for one in known), Decimal(0)))
    if rest.delta > 0:  # from another ledger, and not of δ = 0: nothing is known of its divergence
        return Loss(eps, delta, UNBOUNDED, total.clamp)
    return Loss(eps, delta, min(total.renyi + max(rest.eps, Decimal(0)), UNBOUNDED), total.clamp)


def proved(receipt: Mapping[str, Any]) -> Divergence:
    """The divergence that a receipt proves; one without a bound where it proves none.

    >>> proved({"method": "laplace", "eps": 0.05}).laplace
    0.05
    >>> proved({"eps": 0.1, "delta": 1e-9}).unbounded
    True
    """
    if "loss" in receipt:
        return Divergence.from_dict(receipt["loss"])
    method = receipt.get("method")
    if method == "laplace" and receipt.get("eps"):
        return Divergence.of_count(float(receipt["eps"]))
    if not receipt.get("private") or any(receipt.get(name) is None for name in ("eta", "rounds", "n", "cap", "k")):
        return NO_BOUND
    eta = float(receipt["eta"])
    rounds, n, cap, k = (int(receipt[name]) for name in ("rounds", "n", "cap", "k"))
    if method in _ADDING:
        return Divergence.of_selection(eta, adds=rounds, total=max(1, min(cap, rounds)), n=n)
    if method == "local_search":  # in layout 1 the paper's, of which every draw is among swaps or whole solutions
        return Divergence.of_selection(eta, adds=0, swaps=rounds, span=max(1, min(cap, k)), n=n)
    return NO_BOUND


def _text(name: str) -> str:
    return name.replace("'", "''")
