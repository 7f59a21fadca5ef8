"""Charging: a release pays before anything is drawn, and what draws nothing gets its payment back (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from msd_sql.amounts import Amount
from msd_sql.declarations import Protected
from msd_sql.ledger import Entry, Ledger


@dataclass
class Charge:
    """A charge that is on record; `begun` from the first draw on."""

    id: str
    begun: bool = False


@contextmanager
def charged(ledger: Ledger, protected: Protected, entry: Entry, *, eps: Amount, delta: Amount) -> Iterator[Charge]:
    """Charge a release, durably, for the length of a `with`.

    A failure before the first draw has released nothing: the charge is given back, on the record. A process that dies,
    or a failure to give it back, costs budget and never privacy.

    >>> with charged(ledger, purchases, Entry("reach"), eps="0.05", delta=0) as charge:
    ...     counted = 812
    ...     charge.begun = True
    """
    if entry.exact:  # it takes nothing from the budget
        yield Charge(ledger.note(protected, entry))
        return
    charge = Charge(ledger.charge(protected, entry, eps=eps, delta=delta))
    try:
        yield charge
    except BaseException:
        if not charge.begun:
            with suppress(Exception):
                ledger.refund(protected, charge.id, "the query failed before anything was drawn")
        raise
