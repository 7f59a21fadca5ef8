"""What tools do behind one's back, and whether it charges: the last column of docs/integrations.md."""

import pytest

import msd_sql
from tests.integrations.conftest import TOPK

ASK = "SELECT msd_select(item_id, 3, 0.1, 0.5) AS items FROM products"


@pytest.mark.parametrize(
    ("sql", "charges"),
    [
        (f"EXPLAIN {ASK}", False),
        (f"DESCRIBE {ASK}", False),
        (f"SELECT * FROM ({ASK}) LIMIT 0", False),
        (f"{TOPK} LIMIT 0", False),
        (f"PREPARE later AS {ASK}", False),
        (f"CREATE VIEW chosen AS {ASK}", False),
        (f"SELECT count(*) FROM ({TOPK})", True),
        (f"SUMMARIZE {TOPK}", True),
        (f"EXPLAIN ANALYZE {ASK}", True),
        (f"CREATE TABLE chosen AS {ASK}", True),
        (f"{ASK} LIMIT 1", True),
    ],
)
def test_what_charges(file, sql, charges):
    with msd_sql.connect(file) as con:
        con.execute(sql).fetchall()
        assert msd_sql.remaining(con, "purchases") == pytest.approx(0.9 if charges else 1.0)
        con.execute(ASK if "topk" not in sql else TOPK).fetchall()
        assert msd_sql.remaining(con, "purchases") == pytest.approx(0.9), "the same question is asked once"
