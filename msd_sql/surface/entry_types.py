"""The types of the functions that the macros call: all that a database has to know of them until one is called."""

from __future__ import annotations

from dataclasses import dataclass

from msd_sql.surface.forms import QUESTION

# Times are UTC without a zone: DuckDB needs another package to hand a zone to Python.
LINE = {
    "time": "TIMESTAMP", "who": "VARCHAR", "relation": "VARCHAR", "what": "VARCHAR", "releases": "BIGINT",
    "eps": "DOUBLE", "delta": "DOUBLE", "composed_eps": "DOUBLE", "kind": "VARCHAR", "repeated": "BIGINT",
    "replayed": "BOOLEAN", "exact": "BOOLEAN", "asserted_public": "BOOLEAN", "charged_to": "VARCHAR",
    "charged_eps": "DOUBLE", "charged_delta": "DOUBLE", "charged_renyi": "DOUBLE", "program": "VARCHAR",
    "statement": "VARCHAR", "parameters": "VARCHAR", "id": "VARCHAR",
}  # fmt: skip
ANSWER = {
    "time": "TIMESTAMP", "relation": "VARCHAR", "kind": "VARCHAR", "n": "BIGINT", "k": "BIGINT", "method": "VARCHAR",
    "bound": "VARCHAR", "eps": "DOUBLE", "delta": "DOUBLE", "receipt": "VARCHAR", "line": "VARCHAR", "id": "VARCHAR",
}  # fmt: skip


def _rows_of(columns: dict[str, str]) -> str:
    members = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    return f"STRUCT({members})[]"


LEDGER = _rows_of(LINE)
RELEASES = _rows_of(ANSWER)
INTERVAL = "STRUCT(low BIGINT, estimate BIGINT, high BIGINT)"
PROPERTIES = "STRUCT(property VARCHAR, value VARCHAR)[]"


@dataclass(frozen=True)
class EntryType:
    """A function by its types; what comes in numbers comes in Arrow arrays."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    arrow: bool = False


_ALL = (
    EntryType("_msd_instance", (), "VARCHAR"),
    EntryType("_msd_statement", ("VARCHAR",), "VARCHAR"),
    EntryType("_msd_probes", ("VARCHAR",), "VARCHAR[]"),
    EntryType("_msd_probe", ("VARCHAR",), "VARCHAR"),
    EntryType("_msd_ask", ("VARCHAR", "VARCHAR", "VARCHAR[]"), "VARCHAR"),
    EntryType("_msd_take", ("ANY", "BIGINT", "BIGINT"), "BIGINT", arrow=True),
    EntryType("_msd_offer", (QUESTION, "VARCHAR"), "BIGINT", arrow=True),
    EntryType("_msd_pick", ("BIGINT", "BIGINT", "BIGINT"), "BIGINT[]", arrow=True),
    EntryType("_msd_explain", (QUESTION, "VARCHAR"), PROPERTIES, arrow=True),
    EntryType("_msd_key", ("VARCHAR[]", "VARCHAR", "VARCHAR", "VARCHAR"), "VARCHAR"),
    EntryType("_msd_declare", ("VARCHAR", "VARCHAR", "VARCHAR"), "VARCHAR"),
    EntryType("_msd_reach", ("VARCHAR[]", "VARCHAR", "VARCHAR", "VARCHAR"), "BIGINT"),
    EntryType("_msd_reach_interval", ("VARCHAR[]", "VARCHAR", "VARCHAR", "VARCHAR"), INTERVAL),
    EntryType("_msd_remaining", ("VARCHAR", "VARCHAR"), "DOUBLE"),
    EntryType("_msd_ledger", ("VARCHAR",), LEDGER),
    EntryType("_msd_releases", ("VARCHAR",), RELEASES),
)
ENTRIES = {entry.name: entry for entry in _ALL}
