"""The log of a curator: one JSON object a line, public facts only; what was asked is named by its kind."""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

_KEPT = 200


class Log:
    """Writes lines and keeps the last refusals for the owner; several threads use it.

    >>> import io
    >>> out = io.StringIO()
    >>> Log(out).write("started", port=8815)
    >>> json.loads(out.getvalue())["port"]
    8815
    """

    def __init__(self, out: TextIO | None = None, *, statements: bool = False) -> None:
        self._out = out
        self.statements = statements  # whether to write what was asked in full, and what was said of a refusal
        self.refused: deque[dict[str, Any]] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()

    def write(self, event: str, **facts: Any) -> None:
        """Write a line."""
        line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **facts}
        with self._lock:
            print(json.dumps(line, default=str), file=self._out or sys.stderr, flush=True)

    def answered(self, account: str, act: str, seconds: float, **facts: Any) -> None:
        """Write that something was answered."""
        self.write("answered", account=account, act=act, seconds=round(seconds, 4), **facts)

    def refuse(self, account: str, act: str, error: BaseException, said: Mapping[str, Any] | None = None) -> None:
        """Write that something was refused: the kind of the error, and its words only where they are asked for."""
        facts = {"account": account, "act": act, "reason": type(error).__name__}
        if self.statements:
            facts |= {"message": str(error), **(said or {})}
        self.refused.append({"time": datetime.now(UTC).isoformat(timespec="seconds"), **facts})
        self.write("refused", **facts)
