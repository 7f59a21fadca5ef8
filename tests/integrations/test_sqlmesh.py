"""sqlmesh patches sqlglot for the whole process: selections must not notice."""

import subprocess
import sys

import pytest

pytest.importorskip("sqlmesh", reason="sqlmesh is not installed: python3 dev.py integrations")
PROGRAM = """
import sys
import sqlmesh
import msd_sql
with msd_sql.connect(sys.argv[1]) as con:
    for engine in ("memory", "sql"):
        for method in ("greedy", "local_search"):
            sql = f"SELECT msd_select(item_id,$1,$2,0.5, engine := '{engine}', method := '{method}') FROM products"
            assert len(con.execute(sql, [3, 0.1]).fetchall()[0][0]) == 3
    con.execute("CREATE TABLE visits AS SELECT i % 50 AS u, i % 30 AS place FROM range(300) t(i)")
    msd_sql.protect(con, "visits", unit="u", relevance="best_match", similarity="1 - abs(r.place - v.item_id) / 30",
                    budget=1, delta=1e-6)
    msd_sql.items(con, "products", key="item_id", features="kind", reach="visits", replace=True)
    assert len(msd_sql.select("FROM products", con=con, k=3, eps=0.1, diversity=0.5)) == 3
    print("answered")
"""


def test_selections_after_importing_it(file):
    told = subprocess.run([sys.executable, "-c", PROGRAM, str(file)], capture_output=True, text=True, check=False)
    assert told.stdout.strip() == "answered", told.stderr
