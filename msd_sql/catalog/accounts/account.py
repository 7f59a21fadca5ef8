"""An account: its name, its role, how long it lasts, and its token, of which only a hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from msd_sql.catalog.budget_filter import NOTHING, Budget, Loss
from msd_sql.errors import InputError

ROLES = ("analyst", "owner")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_COST = {"n": 2**14, "r": 8, "p": 1}  # 16 MB and some tens of milliseconds a guess


@dataclass(frozen=True)
class Share:
    """What an account may spend of a relation's budget, and what it has spent."""

    relation: str  # the name that its protection is stored under
    limits: Budget
    spent: Loss = NOTHING
    answers: int = 0
    revision: int = 0

    @property
    def left(self) -> Decimal:
        """The ε that is left of it."""
        return self.limits.left(self.spent)


@dataclass(frozen=True)
class Account:
    """Who asks a curator."""

    name: str
    role: str
    created_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    shares: tuple[Share, ...] = ()

    @property
    def owner(self) -> bool:
        """May it declare, and ask without a share?"""
        return self.role == "owner"

    @property
    def state(self) -> str:
        """'active', 'expired' or 'revoked'.

        >>> Account("ana", "analyst").state
        'active'
        """
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= datetime.now(UTC) else "active"


def checked_name(name: str) -> str:
    """The name of a new account; an InputError if it cannot be one.

    >>> checked_name("ana")
    'ana'
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"'{name[:40]}' cannot be the name of an account: small letters, digits, - and _, a letter first, at most "
            "32 of them, such as ana."
        )
    return name


def expiry(days: float | None) -> datetime | None:
    """When an account ends that is to last so many days; None: never.

    >>> expiry(None) is None
    True
    """
    if days is None:
        return None
    if not 0 < days <= 36_500:
        raise InputError(f"An account lasts between 0 and 36500 days; got {days:g}.")
    return datetime.now(UTC) + timedelta(days=days)


def new_token(name: str) -> str:
    """A token that nobody can guess, which begins with the name of its account.

    >>> new_token("ana").startswith("ana.")
    True
    """
    return f"{name}.{secrets.token_urlsafe(32)}"


def new_salt() -> str:
    """A salt for a hash.

    >>> len(new_salt())
    32
    """
    return secrets.token_hex(16)


def hashed(token: str, salt: str) -> str:
    """What is kept of a token.

    >>> len(hashed("ana.secret", "00" * 16))
    64
    """
    return hashlib.scrypt(token.encode(), salt=bytes.fromhex(salt), dklen=32, **_COST).hex()


def matches(token: str, salt: str, kept: str) -> bool:
    """Is it the token of that hash?

    >>> matches("ana.secret", "00" * 16, hashed("ana.secret", "00" * 16))
    True
    """
    return hmac.compare_digest(hashed(token, salt), kept)
