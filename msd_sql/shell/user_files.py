"""Where the shell keeps its files: the history across sessions and the init file."""

from __future__ import annotations

import os
from pathlib import Path


def history_file() -> Path:
    """Name the history: $MSD_HISTORY, or a file of the XDG state directory; its folder is made."""
    given = os.environ.get("MSD_HISTORY")
    path = Path(given) if given else _base("XDG_STATE_HOME", ".local/state") / "msd" / "history"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def init_file() -> Path | None:
    """Find the init file, if there is one: $MSD_INIT, or msd/init.sql of the XDG configuration directory."""
    given = os.environ.get("MSD_INIT")
    path = Path(given) if given else _base("XDG_CONFIG_HOME", ".config") / "msd" / "init.sql"
    return path if path.is_file() else None


def _base(variable: str, otherwise: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / otherwise)
