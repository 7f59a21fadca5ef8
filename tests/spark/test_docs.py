"""A person who follows docs/spark.md, and nothing else, selects from the demo's shop on Spark."""

import re

import pytest

import msd_sql
from msd_sql.demo.shop import shop

BLOCK = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.xdist_group("spark")  # one process of several has Spark


def test_the_page_selects_from_the_demo_shop(root, spark, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    small = shop(products=60, users=400)
    monkeypatch.setattr("msd_sql.demo.shop.shop", lambda: small)  # the page's own shop takes a minute to count
    before = spark.conf.get("spark.sql.shuffle.partitions")
    names = {}
    for block in BLOCK.findall((root / "docs" / "spark.md").read_text()):
        here = block.replace("purchases.parquet", f"{tmp_path}/purchases.parquet")  # Spark has started elsewhere
        exec(compile(here, "docs/spark.md", "exec"), names)
    spark.conf.set("spark.sql.shuffle.partitions", before)
    told = capsys.readouterr().out
    assert "subcategory" in told
    assert "epsilon_left" in told
    left = names["con"].execute("SELECT msd_remaining('spark:purchases')").fetchall()[0][0]
    assert 0.84 < left < 0.86  # 0.1 and 0.05 were spent; showing a relation again is free
    assert names["msd_sql"] is msd_sql
    names["con"].close()


def test_every_claim_of_bytes_and_jobs_has_its_page(root):
    text = (root / "docs" / "spark_scale.md").read_text()
    assert "differ" not in text
    assert text.count("| equal |") >= 3
    assert "100 billion purchases of 1 billion users" in text
