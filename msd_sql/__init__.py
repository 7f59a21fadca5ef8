"""A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB.

Names are imported when they are first used: `import msd_sql.udfs`, `msd --help` and the like load no database.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msd_sql.api import Selection, items, protect, select
    from msd_sql.registration import register, unregister

__all__ = ["Selection", "items", "protect", "register", "select", "unregister"]
__version__ = "0.1.0"

_HOMES = {
    "Selection": "api",
    "items": "api",
    "protect": "api",
    "select": "api",
    "register": "registration",
    "unregister": "registration",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'msd_sql' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f"msd_sql.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
