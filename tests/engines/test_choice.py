"""The engine is chosen by what fits in memory, or by the caller; explaining it reads no row."""

import numpy as np
import pytest

from msd_sql.engines.build import build
from msd_sql.engines.choice import estimated_rows, memory_limit, parse_size
from msd_sql.engines.describe import describe
from msd_sql.engines.memory.coverage import gathered
from msd_sql.engines.sql.coverage import SqlCoverage
from msd_sql.errors import EngineError, InputError
from msd_sql.udfs import Coverage
from msd_sql.udfs.relevance.coverage import CoverageIndex

from .conftest import candidates, protected, purchases


@pytest.fixture
def shop(con):
    con.execute("CREATE TABLE purchases AS SELECT range AS user_id, range % 7 AS item_id FROM range(100000)")
    return con


def test_memory_while_the_index_fits(shop, host):
    assert isinstance(build(host, protected(), candidates(range(7)), k=2), Coverage)


def test_sql_when_it_does_not(con, host):
    con.execute("CREATE TABLE numbers AS SELECT range AS n FROM range(3000000)")
    con.execute("CREATE VIEW purchases AS SELECT n AS user_id, n % 7 AS item_id FROM numbers")
    con.execute("SET memory_limit = '64MB'")
    assert isinstance(build(host, protected(), candidates(range(7)), k=2), SqlCoverage)


def test_what_auto_takes_is_not_told_because_it_depends_on_the_number_of_private_rows(shop, host):
    told = []
    for limit in ("8GB", "32MB"):
        shop.execute(f"SET memory_limit = '{limit}'")
        told.append(describe(host, protected(), candidates(range(7))))
    assert told[0].engine == told[1].engine
    assert told[0].engine.startswith("auto")
    assert [step.name for step in told[0].steps] == [step.name for step in told[1].steps]
    assert [step.name for step in told[0].steps] == ["packed", "packed_any"]


def test_the_caller_decides(shop, host):
    assert isinstance(build(host, protected(), candidates(range(7)), k=2, engine="sql"), SqlCoverage)
    assert describe(host, protected(), candidates(range(7)), engine="sql").engine == "sql"


@pytest.mark.parametrize("call", [build, describe])
def test_an_unknown_engine_is_told_with_the_nearest_name(shop, host, call):
    more = {"k": 2} if call is build else {}
    with pytest.raises(InputError, match="Did you mean 'memory'"):
        call(host, protected(), candidates([1]), engine="memroy", **more)


def test_rows_are_estimated_for_tables_views_and_files(shop, host, tmp_path):
    assert estimated_rows(host, protected()) == 100_000
    shop.execute(f"COPY purchases TO '{tmp_path}/p.parquet'")
    shop.execute(f"CREATE VIEW filed AS FROM '{tmp_path}/p.parquet'")
    assert estimated_rows(host, protected(relation="filed")) == 100_000


def test_the_limit_is_duckdbs_own(con, host):
    con.execute("SET memory_limit = '512MiB'")
    assert memory_limit(host) == 512 << 20


@pytest.mark.parametrize(
    ("text", "size"),
    [("8.0 GiB", 8 << 30), ("1.5 GB", 1_500_000_000), ("512 bytes", 512), ("953.6 MiB", int(953.6 * 2**20))],
)
def test_sizes_are_read_as_duckdb_prints_them(text, size):
    assert parse_size(text) == size


def test_describing_names_every_step_and_reads_nothing(shop, host, engine):
    shop.execute("CREATE VIEW poisoned AS SELECT user_id, error('a row was read')::BIGINT AS item_id FROM purchases")
    found = describe(host, protected(relation="poisoned"), candidates(range(7)), engine=engine)
    names = [step.name for step in found.steps]
    assert names == (
        ["packed", "packed_any"] if engine == "memory" else ["pairs", "totals", "chosen", "full", "losses"]
    )
    assert all(step.sql() for step in found.steps)


@pytest.mark.parametrize(
    ("keys", "item_type", "name"),
    [
        (range(7), "BIGINT", "packed"),
        ([0, 1000], "BIGINT", "keys"),
        (["a", "b"], "VARCHAR", "keys"),
        ([], "BIGINT", "keys"),
    ],
)
def test_a_look_up_replaces_the_join_where_items_are_dense_integers(con, host, keys, item_type, name):
    purchases(con, [], item_type=item_type)
    found = describe(host, protected(), candidates(keys, item_type), engine="memory")
    assert [step.name for step in found.steps] == [name, f"{name}_any"]


def test_counts_are_all_there_is_without_a_unit(con, host, engine):
    purchases(con, [(1, 0)])
    found = describe(host, protected(unit=None), candidates([0]), engine=engine)
    assert [step.name for step in found.steps] == ["counts"]


@pytest.mark.parametrize("engine", ["auto", "memory"])
def test_too_little_memory_is_said_without_a_size(con, host, monkeypatch, engine):
    purchases(con, [(1, 1), (2, 1)])

    def fails(*_):
        raise MemoryError("Unable to allocate 276. MiB for an array with shape (36123657,) and data type int64")

    monkeypatch.setattr(CoverageIndex, "from_keys", fails)
    with pytest.raises(EngineError, match="engine := 'sql'") as caught:
        build(host, protected(), candidates([1]), k=1, engine=engine)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert "36123657" not in str(caught.value)


def test_keys_are_gathered_whatever_room_they_need():
    blocks = [np.arange(at, at + size) for at, size in ((0, 3), (3, 1000), (1003, 1), (1004, 5000), (6004, 0))]
    assert gathered(iter(blocks), room=2).tolist() == list(range(6004))
