"""Progress: how far a selection is, told where a person watches, and only what is public: rounds and groups.

How many rows are read, and how many of them are done, would tell of the protected relation: it is only said that they
are being read. Nothing is written to a pipe or a file.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TextIO

_PATIENCE = 1.0  # seconds before anything is told
_EVERY = 0.2  # seconds between two lines


class Progress:
    """One line on a terminal or in a notebook, written over and over, and gone at the end.

    >>> import io
    >>> quiet = io.StringIO()
    >>> progress = Progress(quiet)
    >>> progress.tell("round 1 of 6")
    >>> progress.close()
    >>> quiet.getvalue()
    ''
    """

    def __init__(self, stream: TextIO | None = None, patience: float = _PATIENCE, every: float = _EVERY) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._patience, self._every = patience, every
        self._text = self._shown = ""
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def tell(self, text: str) -> None:
        """Say what is being done now."""
        self._text = text
        if self._thread is None and not self._closed.is_set() and watched(self._stream):
            # A thread, because what takes long may be one statement that tells nothing meanwhile.
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Tell nothing any more, and leave nothing behind."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        if self._closed.wait(self._patience):
            return
        while True:
            self._show(self._text)
            if self._closed.wait(self._every):
                break
        self._show("")

    def _show(self, text: str) -> None:
        if text == self._shown:
            return
        blank = " " * max(len(self._shown) - len(text), 0)
        with suppress(OSError, ValueError):  # a stream that is closed: nobody watches
            self._stream.write(f"\r{text}{blank}\r" if not text else f"\r{text}{blank}")
            self._stream.flush()
        self._shown = text


def watched(stream: TextIO | None) -> bool:
    """Does a person watch the stream: is it a terminal, or a notebook's?

    >>> import io
    >>> watched(io.StringIO()), watched(None)
    (False, False)
    """
    if stream is None:
        return False
    with suppress(OSError, ValueError, AttributeError):
        return stream.isatty() or type(stream).__module__.startswith("ipykernel.")
    return False
