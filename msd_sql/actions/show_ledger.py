"""Show the ledger: the ledger and what is left of a budget, as SQL values."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from msd_sql.catalog.ledger import Entry
from msd_sql.errors import InputError
from msd_sql.runtime.call import Call

# Times are UTC without a zone: DuckDB needs another package to hand a zone to Python.
_COLUMNS = {
    "time": "TIMESTAMP", "relation": "VARCHAR", "kind": "VARCHAR", "statement": "VARCHAR", "parameters": "VARCHAR",
    "n": "BIGINT", "k": "BIGINT", "method": "VARCHAR", "bound": "VARCHAR", "eps": "DOUBLE", "delta": "DOUBLE",
    "charged_eps": "DOUBLE", "charged_delta": "DOUBLE", "exact": "BOOLEAN", "asserted_public": "BOOLEAN",
    "replayed": "BOOLEAN", "id": "VARCHAR", "receipt": "VARCHAR",
}  # fmt: skip
_MEMBERS = ", ".join(f'"{name}" {kind}' for name, kind in _COLUMNS.items())
LEDGER = f"STRUCT({_MEMBERS})[]"


def ledger_rows(call: Call) -> list[dict[str, Any]]:
    """Every line of every ledger in sight, oldest first; none before anything is declared."""
    return [_row(entry) for entry in call.ledger.entries()]


def remaining(call: Call, relation: str | None) -> float:
    """The ε that is left of a relation's budget."""
    if relation is None:
        raise InputError("msd_remaining needs the name of a protected relation; got NULL.")
    return float(call.ledger.remaining(call.catalog.need(relation)).eps_left)


def _row(entry: Entry) -> dict[str, Any]:
    row = {name: getattr(entry, name) for name in _COLUMNS}
    return row | {
        "time": entry.time.astimezone(UTC).replace(tzinfo=None) if entry.time else None,
        "parameters": json.dumps(dict(entry.parameters), ensure_ascii=False, default=str),
        "receipt": json.dumps(dict(entry.receipt), ensure_ascii=False, default=str),
        "charged_eps": float(entry.charged_eps),
        "charged_delta": float(entry.charged_delta),
    }
