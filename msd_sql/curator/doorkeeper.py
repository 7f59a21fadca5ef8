"""The doorkeeper: which account a token is of. A hash is slow on purpose, so that it is asked for once a token."""

from __future__ import annotations

import base64
import binascii
import hashlib
import threading
from collections.abc import Callable, Sequence

from msd_sql.catalog.accounts.account import Account, hashed, matches, new_salt
from msd_sql.catalog.accounts.account_book import Known

_GUESSES = 2  # tokens that are hashed at a time: 16 MB each
_WAITING = 64  # and others that wait for it; more of them are told at once that they are wrong
_LONGEST = 256


class Doorkeeper:
    """Knows the accounts as they were last read; `read` reads them anew."""

    def __init__(self, read: Callable[[], Sequence[Known]]) -> None:
        self._read = read
        self._known: dict[str, Known] = {}
        self._seen: dict[bytes, tuple[str, str]] = {}  # of a token that was right: its account, and the hash it had
        self._lock = threading.Lock()
        self._guessing = threading.Semaphore(_GUESSES)
        self._waiting = threading.BoundedSemaphore(_WAITING)
        self._nobody = new_salt()
        self.refresh()

    def refresh(self) -> None:
        """Read the accounts anew."""
        known = {one.account.name: one for one in self._read()}
        with self._lock:
            self._known = known

    def account(self, token: str) -> Account | None:
        """The active account of a token; None for any other token."""
        if len(token) > _LONGEST or not token.isascii():
            return None
        digest = hashlib.sha256(token.encode()).digest()
        with self._lock:
            name, kept = self._seen.get(digest, (token.partition(".")[0], ""))
            known = self._known.get(name)
        if known is not None and kept == known.token:
            return _active(known)
        if not self._waiting.acquire(blocking=False):
            return None
        try:
            with self._guessing:
                if known is None:
                    hashed(token, self._nobody)  # as slow as for an account that there is
                    return None
                if not matches(token, known.salt, known.token):
                    return None
        finally:
            self._waiting.release()
        with self._lock:
            self._seen[digest] = (name, known.token)
        return _active(known)

    def bearer(self, header: str) -> str | None:
        """The token in an authorization header: Bearer, or Basic with the account as user and its token as password."""
        scheme, _, text = header.partition(" ")
        if scheme.lower() == "bearer":
            return text.strip()
        if scheme.lower() != "basic":
            return None
        given = text.strip()
        try:  # some drivers leave the padding out
            pair = base64.b64decode(given + "=" * (-len(given) % 4), validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        name, _, secret = pair.partition(":")
        return secret if secret.startswith(f"{name}.") else f"{name}.{secret}"


def _active(known: Known) -> Account | None:
    return known.account if known.account.state == "active" else None
