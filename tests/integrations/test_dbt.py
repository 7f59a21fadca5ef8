"""A dbt project built twice by real dbt, and what `msd dbt check` says of its manifest."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import msd_sql
from msd_sql.cli import main
from msd_sql.integrations.dbt_manifest import leaks

pytest.importorskip("dbt.adapters.duckdb", reason="dbt-duckdb is not installed: python3 dev.py integrations")
PROJECT = Path(__file__).parent / "dbt_project"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("dbt") / "shop"
    shutil.copytree(PROJECT, made)
    return made


def build(folder, *more):
    environment = {**os.environ, "SHOP_DUCKDB": str(folder / "shop.duckdb"), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    command = [str(Path(sys.executable).with_name("dbt")), "--no-use-colors", "build", "--profiles-dir", ".", *more]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(folder):
    for _ in range(2):
        told = build(folder)
        assert told.returncode == 0, told.stdout
    return folder


def test_the_second_build_keeps_the_protection_and_costs_nothing(built):
    with msd_sql.connect(built / "shop.duckdb") as con:
        ledger = msd_sql.ledger(con)
        assert list(ledger.kind) == ["protect", "items", "select", "replay"]
        assert list(ledger.charged_eps) == [0.0, 0.0, 0.1, 0.0]
        assert msd_sql.remaining(con, "purchases") == pytest.approx(0.9)
        assert con.execute("SELECT count(*) FROM front_page").fetchall() == [(6,)]
        with pytest.raises(msd_sql.LeakError):
            con.execute("SELECT msd_select(item_id, 3, 0.1, 0.5) FROM purchases").fetchall()


def test_a_project_without_leaks_passes(built, capsys):
    assert main(["dbt", "check", str(built / "target" / "manifest.json")]) == 0
    assert "No private selection" in capsys.readouterr().out


def test_candidates_from_a_table_of_private_rows_are_found(built, capsys):
    (built / "models" / "best_sellers.sql").write_text(
        "SELECT item_id, count(*) AS n FROM {{ ref('purchases') }} GROUP BY item_id HAVING n > 9"
    )
    (built / "models" / "leaking.sql").write_text(
        "SELECT unnest(msd_select(p.item_id, 3, 0.1, 0.5)) AS item_id FROM {{ ref('products') }} AS p"
        " JOIN {{ ref('best_sellers') }} AS b ON b.item_id = p.item_id"
    )
    (built / "models" / "raw.sql").write_text(
        "SELECT unnest(msd_select(item_id, 3, 0.1, 0.5, reach := '{{ ref('purchases') }}')) AS item_id"
        " FROM {{ ref('raw_purchases') }}"
    )
    build(built, "--select", "best_sellers")  # the guard cannot see where best_sellers came from
    manifest = built / "target" / "manifest.json"
    assert [str(leak) for leak in leaks(manifest)] == [
        "leaking selects from candidates that may be private: purchases → best_sellers → leaking",
        "raw selects from candidates that may be private: raw_purchases → raw",
    ]
    assert main(["dbt", "check", str(manifest)]) == 1
    assert "purchases → best_sellers → leaking" in capsys.readouterr().err


def test_what_is_marked_public_is_public(built):
    manifest = built / "target" / "manifest.json"
    read = json.loads(manifest.read_text())
    for key in ("model.shop.best_sellers", "seed.shop.raw_purchases"):
        read["nodes"][key]["meta"] = {"msd_public": True}
    changed = manifest.with_name("changed.json")
    changed.write_text(json.dumps(read))
    assert leaks(changed) == []


def test_what_is_no_manifest_is_said(tmp_path):
    (tmp_path / "no.json").write_text("[]")
    with pytest.raises(msd_sql.InputError, match="not a manifest of dbt's"):
        leaks(tmp_path / "no.json")
