"""What a question costs an account: prices and refusals know its share as well as the relation's budget."""

from __future__ import annotations

import re

import pytest

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.errors import BudgetError

SELECT = "SELECT msd_select(item_id, {k}, {eps}, 0.5) FROM products"


def rows(curator: Curator, account: Account, sql: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = curator.statement(account, curator.check(sql)).to_pylist()
    return found


def price(curator: Curator, account: Account, eps: float, more: str = "") -> dict[str, str]:
    lines = rows(curator, account, f"FROM msd_explain('products', 6, {eps}, 0.5, key := 'item_id'{more})")
    return {line["property"]: line["value"] for line in lines}


def test_a_price_tells_the_share_before_and_after(curator: Curator, people: dict[str, Account]) -> None:
    told = price(curator, people["ana"], 0.1)
    assert told["share before"] == "ε 0.3 left of 0.3"
    assert told["share after"] == "ε 0.2 left of 0.3"
    assert told["budget after"].startswith("spent ε 0.1 of 1")
    assert told["more like this"] == "3 answers before it, 2 after it", "the budget alone would allow more"
    assert price(curator, people["olga"], 0.1)["more like this"].startswith("84 answers")
    assert not [name for name in price(curator, people["olga"], 0.1) if name.startswith("share")]


def test_what_the_price_refuses_is_refused_and_what_it_allows_is_allowed(
    curator: Curator, people: dict[str, Account]
) -> None:
    ana = people["ana"]
    rows(curator, ana, SELECT.format(k=6, eps=0.25))
    told = price(curator, ana, 0.06)
    assert told["share before"] == "ε 0.05 left of 0.3"
    assert told["share after"] == "refused: the share of this account does not allow it, ε 0.05 is left of it"
    assert "budget after" not in told
    assert "more like this" not in told
    with pytest.raises(BudgetError, match=r"Left of the share: ε 0.05 of 0.3"):
        rows(curator, ana, SELECT.format(k=6, eps=0.06))
    assert price(curator, ana, 0.05)["more like this"] == "1 answer before it, 0 after it"
    rows(curator, ana, SELECT.format(k=6, eps=0.05))
    assert price(curator, ana, 0.05)["share before"] == "ε 0 left of 0.3"


def test_groups_are_counted_by_the_smaller_of_share_and_budget(curator: Curator, people: dict[str, Account]) -> None:
    told = price(curator, people["ana"], 0.1, ", groups := 4")
    assert told["share after"].endswith("ε 0.3 is left of it; 3 such groups would fit")
    rows(curator, people["olga"], SELECT.format(k=6, eps=0.8))
    told = price(curator, people["ana"], 0.1, ", groups := 3")
    assert told["budget after"] == "refused: the budget does not allow it; 2 such groups would fit"
    assert "share after" not in told


def test_a_refusal_by_the_budget_says_what_fits_the_share_too(curator: Curator, people: dict[str, Account]) -> None:
    with pytest.raises(BudgetError, match="The budget of") as refused:
        rows(curator, people["ana"], SELECT.format(k=6, eps=5))
    said = str(refused.value)
    assert "Left of this account's share: ε 0.3 of 0.3. An answer of ε 0.3 would fit" in said
    assert said.endswith("The share of this account would not allow it either.")
    fits = re.search(r"An answer of ε ([0-9.]+) would fit", said)
    assert fits is not None
    assert rows(curator, people["ana"], SELECT.format(k=1, eps=fits[1]))
    with pytest.raises(BudgetError, match="The budget of") as refused:
        rows(curator, people["olga"], SELECT.format(k=6, eps=5))
    assert "share" not in str(refused.value), "an owner has none"


def test_a_refusal_of_groups_says_how_many_fit_both(curator: Curator, people: dict[str, Account]) -> None:
    with pytest.raises(BudgetError, match=r"The budget of .*; nothing was run .* 1 such groups would fit"):
        rows(curator, people["ana"], "SELECT shelf, msd_select(item_id, 2, 0.3, 0) FROM products GROUP BY shelf")


def test_where_the_budget_has_less_than_the_share_the_budget_is_what_fits(
    curator: Curator, people: dict[str, Account]
) -> None:
    rows(curator, people["olga"], SELECT.format(k=6, eps=0.8))
    with pytest.raises(BudgetError, match=r"share: ε 0.5 of 0.5. An answer of ε 0.2 would fit") as refused:
        rows(curator, people["ben"], SELECT.format(k=5, eps=0.3))
    assert "either" not in str(refused.value)
