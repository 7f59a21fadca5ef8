"""A curator's Flight SQL as two clients of Node speak it: one in TypeScript, and one around that of arrow-rs."""

import json
import shutil
import subprocess

import pytest

npm, node = shutil.which("npm"), shutil.which("node")
pytestmark = pytest.mark.skipif(not (npm and node), reason="node and npm are not installed")
PACKAGES = ["@lakehouse-rs/flight-sql-client@0.0.10", "@firetiger-oss/flight-sql-client@1.1.1", "apache-arrow@14"]
TOPK = "SELECT item_id, title FROM msd_topk('products', 4, 0.05, 0.5)"
# Each prints one JSON object: what it was told by name, and the error where it was refused.
RUST = """
import { createFlightSqlClient } from "@lakehouse-rs/flight-sql-client";
import { tableFromIPC } from "apache-arrow";

const given = JSON.parse(process.argv[2]);
const client = await createFlightSqlClient({ host: "127.0.0.1", tls: false, headers: [], ...given.client });
const asked = {
  catalogs: () => client.getCatalogs(),
  schemas: () => client.getDbSchemas({}),
  tables: () => client.getTables({ includeSchema: true }),
};
for (const [name, sql] of Object.entries(given.statements)) asked[name] = () => client.query(sql);
const told = {};
for (const [name, ask] of Object.entries(asked)) {
  try {
    told[name] = tableFromIPC(await ask()).toArray().map((row) => row.toJSON());
  } catch (error) {
    told[name] = String(error);
  }
}
console.log(JSON.stringify(told, (key, value) => (typeof value === "bigint" ? Number(value) : value)));
process.exit(0);
"""
TYPESCRIPT = """
import { FlightSQLClient } from "@firetiger-oss/flight-sql-client";

const given = JSON.parse(process.argv[2]);
const { port, token } = given.client;
const client = new FlightSQLClient({ host: "localhost", port, plaintext: true, token });
const told = {};
for (const [name, sql] of Object.entries(given.statements)) {
  try {
    told[name] = (await client.execute(sql)).toArray().map((row) => row.toJSON());
  } catch (error) {
    told[name] = String(error);
  }
}
console.log(JSON.stringify(told, (key, value) => (typeof value === "bigint" ? Number(value) : value)));
process.exit(0);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("node")
    (found / "package.json").write_text('{"type": "module"}')
    quiet = [npm, "install", "--silent", "--no-audit", "--no-fund", *PACKAGES]
    subprocess.run(quiet, cwd=found, check=True)
    (found / "rust.mjs").write_text(RUST)
    (found / "typescript.mjs").write_text(TYPESCRIPT)
    return found


def told(folder, script, client, **statements):
    given = json.dumps({"client": client, "statements": statements})
    done = subprocess.run([node, script, given], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("script", ["rust.mjs", "typescript.mjs"])
def test_published_rows_and_a_selection(served, folder, script):
    port, token = served
    found = told(
        folder,
        script,
        {"port": port, "token": token},
        published="SELECT title FROM products WHERE item_id = 7",
        chosen=TOPK,
        again=TOPK,
        private="SELECT * FROM purchases",
    )
    assert found["published"] == [{"title": "product 7"}]
    assert len({row["item_id"] for row in found["chosen"]}) == 4
    assert found["again"] == found["chosen"]
    assert "Error" in found["private"]


def test_arrow_rs_lists_what_is_published_and_takes_a_name_and_password(served, folder):
    port, token = served
    found = told(folder, "rust.mjs", {"port": port, "username": "ana", "password": token})
    assert found["catalogs"] == [{"catalog_name": "memory"}]
    assert found["schemas"] == [{"catalog_name": "memory", "db_schema_name": "main"}]
    assert [table["table_name"] for table in found["tables"]] == ["products"]


@pytest.mark.parametrize("script", ["rust.mjs", "typescript.mjs"])
def test_a_wrong_token_is_refused(served, folder, script):
    port, _ = served
    found = told(folder, script, {"port": port, "token": "ana.wrong"}, published="SELECT 42")
    assert "Error" in found["published"]
