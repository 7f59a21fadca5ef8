"""Wait for the charge of a question that another process is asked, as the journal beside the file shows it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from msd_sql.catalog.journal.file import journal_path


def charge_of(file: Path, seconds: float = 60.0) -> Callable[[], None]:
    """Look at the journal now, before a question is asked: what is returned waits until a charge was added."""
    journal = Path(journal_path(str(file)))
    before = _charges(journal)

    def wait() -> None:
        deadline = time.monotonic() + seconds
        while _charges(journal) == before:
            assert time.monotonic() < deadline, "nothing was charged"
            time.sleep(0.05)
        time.sleep(0.5)  # the journal is written before the commit, and the commit before the first draw

    return wait


def _charges(journal: Path) -> int:
    return journal.read_bytes().count(b'"kind":"charge"') if journal.exists() else 0
