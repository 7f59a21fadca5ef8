"""A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB.

Names are imported when they are first used: `import msd_sql.udfs`, `msd --help` and the like load no database.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msd_sql.actions.selection import Selection
    from msd_sql.api.ask import explain, select, topk
    from msd_sql.api.connection import Connection, connect
    from msd_sql.api.declarations import items, protect
    from msd_sql.api.figures import ledger, reach, remaining
    from msd_sql.api.options import Options
    from msd_sql.api.sql_errors import typed_errors
    from msd_sql.errors import (
        BudgetError,
        CatalogError,
        EngineError,
        InputError,
        LeakError,
        MsdError,
        PrivacyError,
    )
    from msd_sql.registration import register, unregister
    from msd_sql.udfs.diversify import diversify

__version__ = "0.2.0"

_HOMES = {
    "BudgetError": "errors",
    "CatalogError": "errors",
    "Connection": "api.connection",
    "EngineError": "errors",
    "InputError": "errors",
    "LeakError": "errors",
    "MsdError": "errors",
    "Options": "api.options",
    "PrivacyError": "errors",
    "Selection": "actions.selection",
    "connect": "api.connection",
    "diversify": "udfs.diversify",
    "explain": "api.ask",
    "items": "api.declarations",
    "ledger": "api.figures",
    "protect": "api.declarations",
    "reach": "api.figures",
    "register": "registration",
    "remaining": "api.figures",
    "select": "api.ask",
    "topk": "api.ask",
    "typed_errors": "api.sql_errors",
    "unregister": "registration",
}
__all__ = [
    "BudgetError",
    "CatalogError",
    "Connection",
    "EngineError",
    "InputError",
    "LeakError",
    "MsdError",
    "Options",
    "PrivacyError",
    "Selection",
    "connect",
    "diversify",
    "explain",
    "items",
    "ledger",
    "protect",
    "reach",
    "register",
    "remaining",
    "select",
    "topk",
    "typed_errors",
    "unregister",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'msd_sql' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f"msd_sql.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
