"""What an owner does with accounts: add, grant, revoke, list; and how things stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msd_sql.actions.show_ledger import ledger_rows
from msd_sql.catalog.accounts.account import Account, expiry
from msd_sql.catalog.accounts.account_book import AccountBook
from msd_sql.catalog.amounts import delta_budget, eps_budget
from msd_sql.errors import InputError
from msd_sql.remote.wire import Told
from msd_sql.runtime.call import Call

_SHOWN = 500  # lines of the ledger, which may have millions


def add(call: Call, book: AccountBook, given: Mapping[str, Any]) -> Told:
    """Add an account, with shares where they are given; its token, which is told once."""
    name, role = str(given.get("name") or ""), str(given.get("role") or "analyst")
    wanted = _shares(call, given)
    token = book.add(name, role, expiry(_number(given.get("days"))))
    for protected, budget, delta in wanted:
        book.grant(name, protected, budget, delta)
    return Told({"name": name, "token": token, "account": described(book.need(name))})


def grant(call: Call, book: AccountBook, given: Mapping[str, Any]) -> Told:
    """Change what an account may spend."""
    name = book.need(str(given.get("name") or "")).name
    wanted = _shares(call, given)
    if not wanted:
        raise InputError("Say which relation, and how much ε of it: --relation purchases --budget 0.5.")
    for protected, budget, delta in wanted:
        book.grant(name, protected, budget, delta)
    return Told({"account": described(book.need(name))})


def revoke(call: Call, book: AccountBook, given: Mapping[str, Any]) -> Told:
    """End an account."""
    name = str(given.get("name") or "")
    book.revoke(name)
    return Told({"account": described(book.need(name))})


def everyone(call: Call, book: AccountBook, given: Mapping[str, Any]) -> Told:
    """Every account."""
    return Told({"accounts": [described(account) for account in book.accounts()]})


def status(call: Call, book: AccountBook, given: Mapping[str, Any]) -> Told:
    """Budgets, accounts and the ledger: what an owner's page shows."""
    budgets = []
    for known in call.protected():
        balance = call.ledger.remaining(known)
        budgets.append({
            "relation": known.stored_name, "budget": float(balance.limits.eps), "spent": float(balance.composed_eps),
            "left": float(balance.eps_left), "answers": balance.answers, "m": known.m,
        })  # fmt: skip
    accounts = [described(account) for account in book.accounts()]
    return Told({"budgets": budgets, "accounts": accounts, "ledger": ledger_rows(call, last=_SHOWN)})


ACCOUNT_ACTS: Mapping[str, Callable[[Call, AccountBook, Mapping[str, Any]], Told]] = {
    "account add": add,
    "account grant": grant,
    "account revoke": revoke,
    "accounts": everyone,
    "status": status,
}


def described(account: Account) -> dict[str, Any]:
    """An account as it is shown; nothing of its token.

    >>> described(Account("ana", "analyst"))["state"]
    'active'
    """
    return {
        "name": account.name,
        "role": account.role,
        "state": account.state,
        "expires": account.expires_at.isoformat(timespec="minutes") if account.expires_at else None,
        "shares": [
            {
                "relation": share.relation,
                "budget": float(share.limits.eps),
                "left": float(share.left),
                "answers": share.answers,
            }
            for share in account.shares
        ],
    }


def _shares(call: Call, given: Mapping[str, Any]) -> list[tuple[Any, Any, Any]]:
    found = []
    for one in given.get("shares") or ():
        if not isinstance(one, Mapping) or one.get("budget") is None:
            raise InputError("A share needs a relation and a budget: --relation purchases --budget 0.5.")
        delta = None if one.get("delta") is None else delta_budget(str(one["delta"]))
        found.append((call.need(str(one.get("relation") or "")), eps_budget(str(one["budget"])), delta))
    return found


def _number(value: Any) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"days must be a number; got '{str(value)[:40]}'.") from None
