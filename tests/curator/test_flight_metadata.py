"""What tools ask a Flight SQL server when they connect, as JDBC drivers do: it is answered, or refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import flight

from msd_sql.curator.flight.protobuf import packed
from tests.curator.shop import Server, add_account, make_shop, serve, share, spent

dbapi = pytest.importorskip("adbc_driver_flightsql.dbapi")
Fields = dict[int, bytes | int]
KEYS = ("CommandGetExportedKeys", "CommandGetImportedKeys", "CommandGetPrimaryKeys")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("asked") / "shop.duckdb")


@pytest.fixture(scope="module")
def token(place: Path) -> str:
    return add_account(place, "ana", shares=share(0.5))


@pytest.fixture(scope="module")
def server(place: Path, token: str) -> Iterator[Server]:
    found = serve(place, "--rate", "100000")
    yield found
    assert found.stop() == 0
    assert "Traceback" not in "".join(line.get("text", "") for line in found.log)
    assert spent(place) == (0.0, 0)  # nothing that was asked here cost anything


@pytest.fixture(scope="module")
def adbc(server: Server, token: str) -> Iterator[Any]:
    options = {"adbc.flight.sql.authorization_header": f"Bearer {token}"}
    with dbapi.connect(server.address, db_kwargs=options, autocommit=True) as connection:
        yield connection


class Plain:
    """A Flight client without a driver: commands as they travel."""

    def __init__(self, address: str, token: str) -> None:
        self.client = flight.FlightClient(address)
        self.options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())], timeout=60)

    def ask(self, command: str, fields: Fields | None = None) -> pa.Table:
        described = flight.FlightDescriptor.for_command(packed(command, fields or {}))
        info = self.client.get_flight_info(described, self.options)
        assert self.client.get_schema(described, self.options).schema == info.schema
        found = self.client.do_get(info.endpoints[0].ticket, self.options).read_all()
        assert found.schema == info.schema
        return found

    def act(self, name: str) -> list[Any]:
        return list(self.client.do_action(flight.Action(name, b""), self.options))


@pytest.fixture(scope="module")
def plain(server: Server, token: str) -> Iterator[Plain]:
    made = Plain(server.address, token)
    yield made
    made.client.close()


def test_catalogs_schemas_and_tables_are_listed_with_filters(plain: Plain) -> None:
    assert plain.ask("CommandGetCatalogs").to_pylist() == [{"catalog_name": "memory"}]
    main = [{"catalog_name": "memory", "db_schema_name": "main"}]
    assert plain.ask("CommandGetDbSchemas").to_pylist() == main
    assert plain.ask("CommandGetDbSchemas", {1: b"memory", 2: b"ma%"}).to_pylist() == main
    assert plain.ask("CommandGetDbSchemas", {1: b""}).num_rows == 0  # what is in no catalog
    products = [{**main[0], "table_name": "products", "table_type": "BASE TABLE"}]
    assert plain.ask("CommandGetTables").to_pylist() == products
    assert plain.ask("CommandGetTables", {2: b"main", 3: b"prod_cts", 4: b"TABLE"}).to_pylist() == products
    assert plain.ask("CommandGetTables", {4: b"VIEW"}).num_rows == 0
    assert plain.ask("CommandGetTableTypes").to_pylist() == [{"table_type": "BASE TABLE"}]


@pytest.mark.parametrize("pattern", ["prod\\_cts", "prod%\\", "\\products", "it's"])
def test_patterns_have_the_escape_that_is_told(plain: Plain, pattern: str) -> None:
    (escape,) = plain.ask("CommandGetSqlInfo", {1: bytes([0x81, 0x04])}).to_pylist()  # 513
    assert escape == {"info_name": 513, "value": "\\"}
    assert plain.ask("CommandGetTables", {3: pattern.encode()}).num_rows == 0


def test_tables_come_with_their_columns(plain: Plain) -> None:
    (table,) = plain.ask("CommandGetTables", {5: 1}).to_pylist()
    schema = pa.ipc.read_schema(pa.BufferReader(table["table_schema"]))
    assert schema.names == ["item_id", "title", "categories", "price", "shelf", "code", "big"]
    assert schema.field("item_id").type == pa.int32()


@pytest.mark.parametrize("command", KEYS)
def test_there_are_no_keys(plain: Plain, command: str) -> None:
    found = plain.ask(command, {3: b"products"})
    assert found.num_rows == 0
    assert "key_sequence" in found.schema.names


def test_there_are_no_keys_between_two_tables(plain: Plain) -> None:
    assert plain.ask("CommandGetCrossReference", {3: b"products", 6: b"products"}).num_rows == 0


def test_every_fact_about_the_server_is_told(plain: Plain) -> None:
    """A JDBC driver looks for each of these numbers, and takes a missing one for a value."""
    told = {row["info_name"]: row["value"] for row in plain.ask("CommandGetSqlInfo").to_pylist()}
    assert set(told) == {*range(6), 8, 9, 100, 101, *range(500, 577)}
    assert (told[0], told[3], told[8], told[563]) == ("msd_sql curator", True, 0, False)
    assert "select" in told[508]  # the words that are taken
    assert told[557] == 100_000  # characters of a statement
    assert plain.ask("CommandGetSqlInfo", {1: bytes([8, 0])}).to_pylist() == [
        {"info_name": 8, "value": 0},
        {"info_name": 0, "value": "msd_sql curator"},
    ]
    assert plain.ask("CommandGetSqlInfo", {1: 9_999}).num_rows == 0


def test_types_are_told(plain: Plain) -> None:
    every = plain.ask("CommandGetXdbcTypeInfo").to_pylist()
    assert [(one["data_type"], one["type_name"]) for one in every] == sorted(
        (one["data_type"], one["type_name"]) for one in every
    )
    bigint = plain.ask("CommandGetXdbcTypeInfo", {1: (1 << 64) - 5})
    assert bigint["type_name"].to_pylist() == ["BIGINT"]
    assert plain.ask("CommandGetXdbcTypeInfo", {1: 2_000}).num_rows == 0


@pytest.mark.parametrize("command", ["CommandStatementSubstraitPlan", "CommandStatementUpdate", "CommandOfTomorrow"])
def test_what_a_curator_does_not_do_it_says(plain: Plain, command: str) -> None:
    with pytest.raises(flight.FlightServerError, match=f"InputError: The curator does not do {command}"):
        plain.ask(command, {1: b"x"})


@pytest.mark.parametrize("action", ["BeginTransaction", "CancelFlightInfo", "SetSessionOptions", "CloseSession", "x"])
def test_actions_that_a_curator_does_not_do_it_names(plain: Plain, action: str) -> None:
    with pytest.raises(flight.FlightServerError, match=f"InputError: The curator does not do {action}"):
        plain.act(action)


def test_flights_are_not_listed_and_actions_are(plain: Plain) -> None:
    assert list(plain.client.list_flights(options=plain.options)) == []
    named = [one.type for one in plain.client.list_actions(plain.options)]
    assert named == ["CreatePreparedStatement", "ClosePreparedStatement", "health"]


def test_adbc_finds_objects_by_their_names(adbc: Any) -> None:
    def tables(**given: str) -> list[str]:
        found = adbc.adbc_get_objects(depth="tables", **given).read_all().to_pylist()
        schemas = [schema for catalog in found for schema in catalog["catalog_db_schemas"] or ()]
        return [table["table_name"] for schema in schemas for table in schema["db_schema_tables"] or ()]

    assert tables() == tables(table_name_filter="prod%") == tables(db_schema_filter="main") == ["products"]
    assert tables(table_name_filter="purchases") == tables(catalog_filter="another") == []
    assert adbc.adbc_get_info()["vendor_name"] == "msd_sql curator"
    assert adbc.adbc_get_table_types() == ["BASE TABLE"]


def test_adbc_prepares_statements_with_and_without_values(adbc: Any) -> None:
    with adbc.cursor() as cursor:
        assert cursor.adbc_prepare("SELECT count(*) AS n FROM products") is not None
        cursor.execute("SELECT count(*) AS n FROM products")
        assert cursor.fetchall() == [(61,)]
        statement = "SELECT title FROM products WHERE item_id = ? AND shelf < ?"
        values = cursor.adbc_prepare(statement)
        assert len(values) == 2
        for item in (1, 2):
            cursor.execute(statement, (item, 4))
            assert cursor.fetchall() == [(f"product {item}",)]
        cursor.execute(statement, (1,))  # the driver does not wait for the first row
        with pytest.raises(dbapi.Error, match="takes 2 values"):
            cursor.fetchall()
        with pytest.raises(dbapi.Error, match="runs SELECT only"):
            cursor.executemany(statement, [(1, 4), (2, 4)])


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM purchases", "CREATE TABLE mine (i INTEGER)", "SELECT", "SELECT 1; SELECT 2"]
)
def test_adbc_is_told_why_a_statement_cannot_be_prepared(adbc: Any, sql: str) -> None:
    with adbc.cursor() as cursor, pytest.raises(dbapi.Error, match=r"InputError|EngineError|LimitError|PrivacyError"):
        cursor.adbc_prepare(sql)
