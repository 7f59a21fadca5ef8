"""Part of the people, and intervals, asked of a curator."""

from __future__ import annotations

import pytest

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.errors import MsdError
from tests.curator.test_core import rows


def test_an_audience_and_an_interval_travel(curator: Curator, people: dict[str, Account]) -> None:
    (found,) = rows(
        curator, people["ana"], "SELECT msd_reach_interval([1, 2], 0.05, 0.9, among := 'item_id < 2') AS reached"
    )
    reached = found["reached"]
    assert reached["low"] <= reached["estimate"] <= reached["high"]
    (again,) = rows(curator, people["ana"], "SELECT msd_reach([1, 2], 0.05, among := 'item_id<2') AS estimate")
    assert again["estimate"] == reached["estimate"]
    picked = rows(
        curator,
        people["ana"],
        "SELECT msd_select(item_id, 2, 0.05, 0, among := 'item_id < 9', users := 50) AS p FROM products",
    )
    assert len(picked[0]["p"]) == 2
    lines = rows(curator, people["ana"], "SELECT what FROM msd_ledger() WHERE releases > 0")
    assert [line["what"].partition(", among ")[2] for line in lines] == ["item_id < 2", "item_id < 9"]


@pytest.mark.parametrize(
    "among",
    ["user_id IN (SELECT user_id FROM purchases)", "getvariable('x') = 1", "salary > 3", "random() < 0.5", "item_id"],
)
def test_what_is_no_row_expression_is_refused_there_too(
    quiet: Curator, quiet_people: dict[str, Account], among: str
) -> None:
    with pytest.raises(MsdError, match="among"):
        rows(quiet, quiet_people["ana"], f"SELECT msd_reach([1], 0.01, among := $${among}$$)")
