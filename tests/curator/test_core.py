"""The core of a curator, without any transport."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.curator.limits import Gate, LimitError, Limits, Watch
from msd_sql.errors import BudgetError, CatalogError, EngineError, InputError, MsdError, PrivacyError
from msd_sql.remote.wire import GROUP, Asked

SIX = "SELECT msd_select(item_id, 6, 0.1, 0.5) AS items FROM products"
PRIVATE = ("purchases", "salaries", "pairs", "msd.ledger", "msd.accounts", "msd.protected", "shop.main.purchases")


def rows(curator: Curator, account: Account, sql: str, *values: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = curator.statement(account, curator.check(sql), values).to_pylist()
    return found


def left(curator: Curator, account: Account) -> tuple[float, float]:
    told = curator.answer(account, Asked("published")).values["relations"][0]
    return told["left"], told["share_left"]


def group(**given: Any) -> pa.Table:
    """One group of candidates as it travels."""
    options = dict.fromkeys(one.name for one in GROUP.field("options").type)
    options |= {"k": "3", "eps": "0.05", "diversity": "0", "reach": "purchases", **given.pop("options", {})}
    absent = {"type": '"NULL"[]'}
    columns = {"features": absent, "quota": absent, "score": absent, **given.pop("columns", {})}
    row = {"keys": None, "numbers": list(range(20)), "key_type": "INTEGER", "options": options, "columns": columns}
    return pa.Table.from_pylist([{**row, **given}], schema=GROUP)


def test_a_selection_in_front_is_charged_to_relation_and_share(curator: Curator, people: dict[str, Account]) -> None:
    found = rows(curator, people["ana"], SIX)[0]["items"]
    assert len(set(found)) == 6
    told = curator.answer(people["ana"], Asked("published")).values["relations"][0]
    assert told == {"relation": "main.purchases", "budget": 1.0, "left": 0.9, "share": 0.3, "share_left": 0.2}
    assert rows(curator, people["ana"], SIX)[0]["items"] == found, "the same question is told again"
    assert rows(curator, people["ana"], "SELECT msd_remaining('purchases') AS left")[0]["left"] == pytest.approx(0.2)
    assert rows(curator, people["ben"], "SELECT msd_remaining('purchases') AS left")[0]["left"] == pytest.approx(0.5)


def test_an_answer_of_another_account_costs_the_share_and_not_the_budget(
    curator: Curator, people: dict[str, Account]
) -> None:
    found = rows(curator, people["ana"], SIX)
    assert rows(curator, people["ben"], SIX) == found
    told = curator.answer(people["ben"], Asked("published")).values["relations"][0]
    assert (told["left"], told["share_left"]) == (0.9, pytest.approx(0.4))
    assert rows(curator, people["ben"], SIX) == found, "heard already: free"
    assert curator.answer(people["ben"], Asked("published")).values["relations"][0]["share_left"] == pytest.approx(0.4)


def test_a_share_that_is_spent_refuses_also_what_others_were_told(curator: Curator, people: dict[str, Account]) -> None:
    rows(curator, people["ben"], "SELECT msd_select(item_id, 5, 0.4, 0.5) FROM products")
    with pytest.raises(BudgetError, match="share that account ana has") as refused:
        rows(curator, people["ana"], "SELECT msd_select(item_id, 5, 0.4, 0.5) FROM products")
    assert "nothing was charged" in str(refused.value)
    assert curator.answer(people["ana"], Asked("published")).values["relations"][0]["share_left"] == pytest.approx(0.3)


def test_a_statement_of_several_groups_is_charged_whole_or_not_at_all(
    curator: Curator, people: dict[str, Account]
) -> None:
    asked = "SELECT shelf, msd_select(item_id, 2, 0.1, 0.5) FROM products GROUP BY shelf"
    with pytest.raises(BudgetError, match="these 4 answers"):
        rows(curator, people["ana"], asked)
    told = curator.answer(people["ana"], Asked("published")).values["relations"][0]
    assert (told["left"], told["share_left"]) == (1.0, 0.3)


@pytest.mark.parametrize("name", PRIVATE)
def test_no_private_table_is_in_the_catalog_in_front(
    quiet: Curator, quiet_people: dict[str, Account], name: str
) -> None:
    for account in quiet_people.values():
        with pytest.raises(InputError, match=r"does not exist|not found"):
            rows(quiet, account, f"SELECT * FROM {name}")


def test_the_catalog_in_front_holds_what_is_published_and_nothing_else(
    quiet: Curator, quiet_people: dict[str, Account]
) -> None:
    everywhere = "SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
    assert [tuple(row.values()) for row in rows(quiet, quiet_people["ana"], everywhere)] == [
        ("memory", "main", "products")
    ]
    databases = rows(
        quiet, quiet_people["ana"], "SELECT database_name, path FROM duckdb_databases() WHERE NOT internal"
    )
    ours = {row["database_name"]: row["path"] for row in databases}
    assert ours == {"memory": None, "msd_sql": None}, "what is published, and our macros"
    assert rows(quiet, quiet_people["ana"], "SELECT count(*) AS n FROM duckdb_views() WHERE NOT internal") == [{"n": 0}]
    # Every name that the database behind knows, tried in front.
    with quiet.behind.cursor() as cursor:
        known = cursor.execute("SELECT database_name, schema_name, table_name FROM duckdb_tables()").fetchall()
    for database, schema, table in known:
        if (schema, table) != ("main", "products"):
            for name in (table, f"{schema}.{table}", f"{database}.{schema}.{table}"):
                with pytest.raises(InputError):
                    rows(quiet, quiet_people["ana"], f"FROM {name}")


TRICKS = [
    "FROM '{file}'",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM glob('/tmp/*')",
    "SELECT * FROM query('SELECT * FROM purchases')",
    "SELECT * FROM query_table('purchases')",
    "SELECT * FROM query('ATTACH ''{file}'' AS x')",
    "SELECT getenv('HOME')",
    "SELECT * FROM behind",
    "SELECT * FROM curator",
    "SELECT * FROM self",
    "FROM msd_topk(purchases, 3, 0.1, 0.5)",
    "SELECT (SELECT max(user_id) FROM purchases)",
    "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM purchases",
    "SELECT msd_select(item_id, 3, 0.1, 0.5, features := 'salaries', distance := 'precomputed') FROM products",
    "SELECT msd_select(item_id, 3, 0.1, 0.5, features := 'shop.main.pairs', distance := 'precomputed') FROM products",
    "SELECT msd_select(item_id, 3, 0.1, 0.5, reach := 'salaries') FROM products",
    "SELECT msd_select(item_id, 3, NULL, 0.5, exact := true) FROM products",
    "SELECT msd_reach([1, 2], 0.01, relation := 'salaries')",
    "SELECT msd_select(item_id, 3, 0.1, 0.5, among := '(SELECT max(salary) FROM salaries) > 0') FROM products",
    "SELECT msd_select(item_id, 3, 0.1, 0.5, among := 'error(user_id::VARCHAR)') FROM products",
    "SELECT msd_select(item_id, 3, 0.1, 0.5, among := 'true) OR (SELECT true FROM salaries)') FROM products",
    "SELECT msd_reach([1, 2], 0.01, among := 'getvariable(''x'') = 1')",
    "SELECT msd_remaining('salaries')",
    "SELECT msd_pull('purchases')",
    "SELECT msd_publish('salaries')",
    "SELECT msd_unprotect('purchases')",
    "SELECT msd_budget('purchases', 100)",
    'SELECT _msd_declare(\'budget\', \'{{"relation": "purchases", "budget": "9"}}\', _msd_caller())',
    'SELECT _msd_declare(\'budget\', \'{{"relation": "purchases", "budget": "9"}}\', msd_sql._msd_caller())',
]


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_reads_or_changes_anything_private(
    quiet: Curator, quiet_people: dict[str, Account], trick: str
) -> None:
    sql = trick.format(file=quiet.file)
    with pytest.raises(MsdError) as refused:
        rows(quiet, quiet_people["ana"], sql)
    for value in ("4000", "person", "1000"):
        assert value not in str(refused.value)
    assert left(quiet, quiet_people["ana"]) == (1.0, 0.3), "and nothing was charged"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE x AS SELECT 1", "DROP TABLE products", "INSERT INTO products SELECT * FROM products",
        "ATTACH ':memory:' AS x", "SET threads = 9", "PRAGMA database_list; SELECT 1", "COPY products TO '/tmp/x.csv'",
        "INSTALL httpfs", "LOAD httpfs", "BEGIN", "SELECT 1; SELECT 2", "", "CALL pragma_version()",
        "CREATE TEMP MACRO msd_select(a) AS 1", "PREPARE q AS SELECT 1", "EXECUTE q", "USE memory", "CHECKPOINT",
    ],
)  # fmt: skip
def test_only_one_select_runs(quiet: Curator, quiet_people: dict[str, Account], sql: str) -> None:
    with pytest.raises(InputError):
        quiet.check(sql)


def test_settings_are_locked_on_both_sides(quiet: Curator, quiet_people: dict[str, Account]) -> None:
    import duckdb

    with quiet.fronts.of(quiet_people["ana"]) as front:
        for con in (front._con.cursor(), quiet.behind._con.cursor()):
            with pytest.raises(duckdb.InvalidInputException, match="locked"):
                con.execute("SET threads = 1")
            con.close()


@pytest.mark.parametrize(
    ("act", "given"),
    [
        ("declare", {"what": "budget", "arguments": '{"relation": "purchases", "budget": "9"}'}),
        ("declare", {"what": "publish", "arguments": '{"relation": "salaries"}'}),
        ("account add", {"name": "eve", "role": "owner"}),
        ("account grant", {"name": "ana", "shares": [{"relation": "purchases", "budget": "1"}]}),
        ("account revoke", {"name": "ben"}),
        ("accounts", {}),
        ("status", {}),
    ],
)
def test_an_analyst_cannot_do_what_owners_do(
    quiet: Curator, quiet_people: dict[str, Account], act: str, given: dict[str, Any]
) -> None:
    with pytest.raises(PrivacyError, match="for the owner"):
        quiet.answer(quiet_people["ana"], Asked(act, given))
    assert {one.account.name for one in quiet.behind.known()} == {"ana", "ben", "olga"}


def test_an_analyst_sees_the_own_lines_of_the_ledger_only(curator: Curator, people: dict[str, Account]) -> None:
    rows(curator, people["ana"], SIX)
    rows(curator, people["ben"], "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products")
    assert {row["who"] for row in rows(curator, people["ana"], "FROM msd_ledger()")} == {"ana"}
    assert {"ana", "ben"} <= {row["who"] for row in rows(curator, people["olga"], "FROM msd_ledger()")}
    assert len(rows(curator, people["ana"], "FROM msd_releases()")) == 1


def test_what_is_published_is_copied_with_its_types_and_refreshed(curator: Curator, people: dict[str, Account]) -> None:
    types = {row["column_name"]: row["column_type"] for row in rows(curator, people["ana"], "DESCRIBE products")}
    assert types == {
        "item_id": "INTEGER", "title": "VARCHAR", "categories": "BIGINT[]", "price": "DECIMAL(9,2)",
        "shelf": "BIGINT", "code": "UUID", "big": "HUGEINT",
    }  # fmt: skip
    with curator.behind.cursor() as cursor:
        cursor.execute("UPDATE products SET title = 'new' WHERE item_id = 3").fetchall()
    curator.refresh()
    assert rows(curator, people["ana"], "SELECT title FROM products WHERE item_id = 3") == [{"title": "new"}]
    owner = people["olga"]
    curator.answer(owner, Asked("declare", {"what": "unpublish", "arguments": '{"relation": "products"}'}))
    assert rows(curator, people["ana"], "SELECT table_name FROM duckdb_tables()") == []
    lines = rows(curator, owner, "SELECT kind FROM msd_ledger() WHERE kind LIKE '%publish'")
    assert [line["kind"] for line in lines] == ["publish", "unpublish"]


@pytest.mark.parametrize("name", ["purchases", "salaries_of_buyers"])
def test_what_depends_on_private_rows_cannot_be_published(
    curator: Curator, people: dict[str, Account], name: str
) -> None:
    with curator.behind.cursor() as cursor:
        cursor.execute(
            "CREATE VIEW salaries_of_buyers AS SELECT s.* FROM salaries s JOIN purchases ON user_id = person"
        )
    with pytest.raises(MsdError, match=r"protected|cannot be"):
        curator.answer(people["olga"], Asked("declare", {"what": "publish", "arguments": f'{{"relation": "{name}"}}'}))
    assert [one.name for one in curator.behind.published] == ["products"]


@pytest.mark.parametrize("how", ["protected since", "a view over private rows since"])
def test_what_became_private_is_published_no_longer(curator: Curator, people: dict[str, Account], how: str) -> None:
    owner = people["olga"]
    with curator.behind.cursor() as cursor:
        cursor.execute("CREATE VIEW offers AS SELECT * FROM salaries")
    for name in ("salaries", "offers"):
        curator.answer(owner, Asked("declare", {"what": "publish", "arguments": f'{{"relation": "{name}"}}'}))
    assert len(curator.behind.published) == 3
    if how == "protected since":
        given = '{"relation": "salaries", "unit": "person", "item": "salary", "budget": "1", "delta": "1e-6"}'
        curator.answer(owner, Asked("declare", {"what": "protect", "arguments": given}))
    else:
        with curator.behind.cursor() as cursor:
            cursor.execute("CREATE OR REPLACE VIEW offers AS SELECT user_id FROM purchases")
    curator.refresh()
    left = [one.name for one in curator.behind.published]
    assert sorted(left) == (["products"] if how == "protected since" else ["products", "salaries"])
    with pytest.raises(Exception, match=r"offers"):
        rows(curator, people["ana"], "FROM offers")
    assert rows(curator, people["ana"], "SELECT count(*) AS n FROM products") != []


def test_a_revoked_or_expired_account_is_refused_even_in_the_middle(
    curator: Curator, people: dict[str, Account], tokens: dict[str, str]
) -> None:
    curator.answer(people["olga"], Asked("account revoke", {"name": "ana"}))
    assert curator.account(f"Bearer {tokens['ana']}") is None
    with pytest.raises(PrivacyError, match="has ended"):  # a call that was let in before
        curator.answer(people["ana"], Asked("select", {}, group()))
    with pytest.raises(CatalogError, match="given once"):
        curator.answer(people["olga"], Asked("account add", {"name": "ana"}))
    told = curator.answer(people["olga"], Asked("account add", {"name": "eva", "days": 1e-9})).values
    assert curator.account(f"Bearer {told['token']}") is None
    assert told["account"]["state"] == "expired"


def test_tokens_are_kept_as_hashes_and_compared_whole(quiet: Curator, quiet_tokens: dict[str, str]) -> None:
    secret = quiet_tokens["ana"].partition(".")[2]
    for path in Path(quiet.file).parent.iterdir():
        assert secret.encode() not in path.read_bytes(), path.name
    for wrong in (
        "",
        "ana",
        "ana.",
        quiet_tokens["ana"][:-1],
        quiet_tokens["ana"] + "x",
        f"ben.{secret}",
        "ana.\N{KELVIN SIGN}",
    ):
        assert quiet.account(f"Bearer {wrong}") is None
    assert quiet.account(quiet_tokens["ana"]) is None, "without a scheme"


BROKEN: list[dict[str, Any]] = [
    {"key_type": "INTEGER); DROP TABLE purchases; --"},
    {"key_type": "STRUCT(a INTEGER)"},
    {"key_type": None},
    {"keys": ["a"], "key_type": "INTEGER", "numbers": None},
    {"keys": ["not a date"], "numbers": None, "key_type": "DATE"},
    {"keys": [str(i) for i in range(20)], "key_type": "VARCHAR"},
    {"numbers": [1, None, 3]},
    {"columns": {"features": {"type": "VARCHAR[]", "texts": ["a", "b"]}}},
    {"columns": {"features": {"type": "INTEGER[][]", "lists": [["a"]]}}},
    {"columns": {"features": {"type": "FLOAT[2][]", "vectors": [[1.0, 2.0]]}}},
    {"columns": {"score": {"type": "DOUBLE[]", "numbers": [1.0]}}},
    {"columns": {"quota": {"type": "VARCHAR[]", "texts": None}}},
    {"options": {"k": "many"}},
    {"options": {"k": "1001"}},
    {"options": {"eps": "-1"}},
    {"options": {"eps": "NaN"}},
    {"options": {"eps": None, "exact": "true"}},
    {"options": {"reach": "salaries"}},
    {"options": {"method": "';--"}},
    {"options": {"engine": "spark"}},
]


@pytest.mark.parametrize("wrong", BROKEN, ids=[str(one)[:60] for one in BROKEN])
def test_a_question_that_is_broken_is_refused_and_costs_nothing(
    quiet: Curator, quiet_people: dict[str, Account], wrong: dict[str, Any]
) -> None:
    with pytest.raises(MsdError):
        quiet.answer(quiet_people["ana"], Asked("select", {}, group(**wrong)))
    assert left(quiet, quiet_people["ana"]) == (1.0, 0.3)


def test_a_question_of_other_columns_is_refused(quiet: Curator, quiet_people: dict[str, Account]) -> None:
    for table in (None, pa.table({"keys": [1]}), group().drop_columns(["options"])):
        with pytest.raises(InputError, match="same msd_sql"):
            quiet.answer(quiet_people["ana"], Asked("select", {}, table))
    with pytest.raises(InputError):
        quiet.answer(quiet_people["ana"], Asked("no such act"))


def test_features_quotas_and_vectors_of_the_caller_are_used(curator: Curator, people: dict[str, Account]) -> None:
    vectors = {"type": "FLOAT[2][]", "vectors": [[float(i), 1.0] for i in range(20)]}
    told = curator.answer(
        people["ana"], Asked("select", {}, group(columns={"features": vectors}, options={"diversity": "0.5"}))
    ).values
    assert len(told["positions"][0]) == 3
    assert told["diversity"] is not None
    shelves = {"type": "VARCHAR[]", "texts": [str(i % 2) for i in range(20)]}
    limited = group(columns={"features": vectors, "quota": shelves}, options={"k": "2", "quota_cap": "1"})
    places = curator.answer(people["ana"], Asked("select", {}, limited)).values["positions"][0]
    assert sorted((place - 1) % 2 for place in places) == [0, 1]


def test_limits_of_candidates_bytes_and_rounds(shop: Path, tokens: dict[str, str]) -> None:
    import io

    from msd_sql.curator.log import Log

    log = Log(io.StringIO())
    curator = Curator(str(shop), Limits(candidates=10, answer_bytes=100, statement=200, rounds=2, rate=1000), log=log)
    try:
        ana = curator.account(f"Bearer {tokens['ana']}")
        assert ana is not None
        with pytest.raises(LimitError, match="20 candidates"):
            curator.answer(ana, Asked("select", {}, group()))
        with pytest.raises(LimitError, match="3 rounds"):
            curator.answer(ana, Asked("select", {}, group(numbers=[1, 2, 3, 4])))
        with pytest.raises(LimitError, match="bytes"):
            rows(curator, ana, "FROM range(1000)")
        with pytest.raises(LimitError, match="characters"):
            curator.check("SELECT " + "1, " * 100 + "1")
        assert [line["reason"] for line in log.refused] == ["LimitError"] * 3
    finally:
        curator.close()


def test_rate_and_concurrency_by_a_clock_of_the_test() -> None:
    now = [0.0]
    gate = Gate(Limits(rate=2, at_once=1), clock=lambda: now[0])
    for _ in range(2):
        with gate.entered("ana"):
            pass
    with pytest.raises(LimitError, match="2 times a second"), gate.entered("ana"):
        pass
    now[0] = 0.5
    with gate.entered("ana"), pytest.raises(LimitError, match="1 questions under way"), gate.entered("ana"):
        pass
    with gate.entered("ben"):
        pass
    assert gate.busy == 0


def test_nobody_is_asked_after_a_call_has_ended() -> None:
    """What tells that a client has gone is freed with its call: asked later, it ends the process."""
    watch = Watch(60.0, every=0.001)
    looking, ended, late = threading.Event(), threading.Event(), []

    def slow() -> bool:
        looking.set()
        ended.wait(0.3)
        return False

    try:
        with watch.over(lambda: None, slow):
            with watch.over(lambda: None, lambda: bool(ended.is_set() and late.append("asked"))):
                looking.wait(10)
            ended.set()
            looking.clear()
            looking.wait(10)
    finally:
        watch.close()
    assert late == []


def test_a_statement_that_takes_too_long_is_stopped(shop: Path, tokens: dict[str, str]) -> None:
    import io

    from msd_sql.curator.log import Log

    curator = Curator(str(shop), Limits(seconds=0.5), log=Log(io.StringIO()))
    try:
        ana = curator.account(f"Bearer {tokens['ana']}")
        assert ana is not None
        with pytest.raises(InputError, match="was stopped"):
            rows(
                curator, ana, "SELECT count(*) FROM range(10_000_000_000) a, range(1000) b WHERE a.range % 7 = b.range"
            )
        assert rows(curator, ana, "SELECT 1 AS one") == [{"one": 1}], "and the next one runs"
    finally:
        curator.close()


def test_the_log_names_no_literal_and_no_private_value(curator: Curator, people: dict[str, Account]) -> None:
    secret = "987654321"
    rows(curator, people["ana"], f"SELECT {secret}, msd_select(item_id, 6, 0.1, 0.5) FROM products")
    for sql in (f"SELECT * FROM purchases WHERE user_id = {secret}", "SELECT msd_reach([987654321], 9)"):
        with pytest.raises(MsdError):
            rows(curator, people["ana"], sql)
    written = curator.log._out.getvalue()  # type: ignore[union-attr]
    assert secret not in written
    assert "purchases" not in written
    assert written.count('"event": "refused"') == 2
    assert {line["reason"] for line in curator.log.refused} == {"InputError", "BudgetError"}


def test_an_error_of_ours_that_is_a_bug_says_nothing(
    curator: Curator, people: dict[str, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("a zebra bought item 4")

    monkeypatch.setitem(__import__("msd_sql.curator.core", fromlist=["QUESTIONS"]).QUESTIONS, "remaining", broken)
    with pytest.raises(EngineError) as told:
        curator.answer(people["ana"], Asked("remaining", {"relation": "purchases"}))
    assert not re.search(r"zebra|bought", str(told.value) + curator.log._out.getvalue())  # type: ignore[union-attr]


def test_eight_threads_never_overdraw_a_share_or_the_budget(curator: Curator, people: dict[str, Account]) -> None:
    done: list[str] = []

    def ask(name: str, start: int) -> None:
        for number in range(5):
            low = start * 100 + number
            sql = f"SELECT msd_select(item_id, 3, 0.06, 0.5) FROM products WHERE item_id <> {low % 40}"
            try:
                rows(curator, people[name], sql)
                done.append(name)
            except (BudgetError, LimitError):
                pass

    threads = [threading.Thread(target=ask, args=("ana" if place % 2 else "ben", place)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everyone = {one.account.name: one.account for one in curator.behind.known()}
    for name in ("ana", "ben"):
        (kept,) = everyone[name].shares
        assert kept.limits.allows(kept.spent)
        assert kept.answers >= 5


def test_answers_at_fixed_intervals(shop: Path, tokens: dict[str, str]) -> None:
    import io
    import time

    from msd_sql.curator.log import Log

    curator = Curator(str(shop), log=Log(io.StringIO()), pace=0.4)
    try:
        ana = curator.account(f"Bearer {tokens['ana']}")
        assert ana is not None
        rows(curator, ana, SIX)
        for sql in (SIX, "SELECT msd_select(item_id, 6, 99, 0.5) FROM products"):  # told again, refused
            begun = time.monotonic()
            with suppress(BudgetError):
                rows(curator, ana, sql)
            assert time.monotonic() - begun >= 0.4
    finally:
        curator.close()


def test_the_question_that_others_are_broken_forms_of_is_answered(curator: Curator, people: dict[str, Account]) -> None:
    told = curator.answer(people["ana"], Asked("select", {}, group())).values
    assert len(set(told["positions"][0])) == 3
    assert left(curator, people["ana"]) == (0.95, 0.25)


def test_a_part_of_the_people_is_asked_about_by_its_columns(curator: Curator, people: dict[str, Account]) -> None:
    found = rows(curator, people["ana"], "FROM msd_topk(products, 3, 0.05, 0.5, among := 'user_id < 100')")
    assert len(found) == 3
    assert left(curator, people["ana"]) == (0.95, 0.25)


def test_a_forged_caller_is_never_another_account(curator: Curator, people: dict[str, Account]) -> None:
    """Our functions are told by numbers which statement asks; a client can hand any numbers to them."""
    with curator.fronts.of(people["ana"]) as own, curator.fronts.of(people["olga"]) as owners:
        assert own.instance is not owners.instance
        assert own._con is not owners._con
        # A statement of the owner has told of itself, and its door is open.
        with owners._lent(people["olga"], lambda: False) as (number, con):
            con.execute("SELECT msd_remaining('purchases')").fetchall()
            query = owners.instance._known[number][0]
            arguments = '{"relation": "purchases", "budget": "9"}'
            told = f'{{"connection": {number}, "query": {query}, "statement": "x"}}'
            for heard in (f"'{number} {query}'", f"_msd_ask('{told}', NULL, NULL)"):
                with pytest.raises(MsdError, match=r"for the owner|Nothing is known"):
                    rows(curator, people["ana"], f"SELECT _msd_declare('budget', '{arguments}', {heard})")
    assert left(curator, people["ana"]) == (1.0, 0.3)


def test_describing_a_statement_runs_and_charges_nothing(curator: Curator, people: dict[str, Account]) -> None:
    asked = "WITH x AS MATERIALIZED (SELECT msd_select(item_id, 3, 0.1, 0.5, fresh := true) AS a FROM products) FROM x"
    statement = curator.check(asked)
    schema = curator.schema(people["ana"], statement)
    assert left(curator, people["ana"]) == (1.0, 0.3)
    assert curator.statement(people["ana"], statement).schema.equals(schema)
    twice = curator.check("SELECT item_id, item_id FROM products")
    assert curator.schema(people["ana"], twice).names == ["item_id", "item_id"]


def test_databases_in_front_that_are_idle_are_closed(shop: Path, tokens: dict[str, str]) -> None:
    import io

    from msd_sql.curator.log import Log

    curator = Curator(str(shop), Limits(fronts=1), log=Log(io.StringIO()))
    try:
        for name in ("ana", "ben", "ana"):
            account = curator.account(f"Bearer {tokens[name]}")
            assert account is not None
            assert len(rows(curator, account, "FROM products")) == 61
            assert list(curator.fronts._open) == [name]
    finally:
        curator.close()


def test_an_owner_is_shown_the_last_lines_of_a_long_ledger_and_an_analyst_its_own(
    curator: Curator, people: dict[str, Account]
) -> None:
    rows(curator, people["ana"], SIX)
    with curator.behind.cursor() as cursor:
        cursor.execute(
            "INSERT INTO msd.ledger BY NAME SELECT * EXCLUDE (i) "
            "REPLACE (uuid() AS id, time + to_seconds(i) AS time, i::VARCHAR AS statement) "
            "FROM msd.ledger, range(1, 700) t(i) WHERE kind = 'select'"
        )
    rows(curator, people["ben"], "SELECT msd_select(item_id, 5, 0.1, 0.5) AS items FROM products")
    shown = curator.answer(people["olga"], Asked("status")).values["ledger"]
    assert len(shown) == 500
    assert [line["statement"] for line in shown[-3:]] == ["697", "698", "699"]
    own = curator.answer(people["ben"], Asked("ledger")).values["value"]
    assert [line["who"] for line in own] == ["ben"]
