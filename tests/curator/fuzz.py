"""Messages that no client of ours sends: `python -m tests.curator.fuzz ADDRESS --requests 10000` with MSD_TOKEN set.

Prints how many were refused and how many were answered; none may end the server, and none may charge anything.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from typing import Any

import pyarrow as pa
from pyarrow import flight

from msd_sql.curator.flight.protobuf import packed
from msd_sql.remote.wire import GROUP

COMMANDS = [
    "CommandStatementQuery", "CommandPreparedStatementQuery", "CommandGetTables", "CommandGetDbSchemas",
    "CommandGetCatalogs", "CommandGetSqlInfo", "CommandGetTableTypes", "CommandStatementUpdate", "TicketStatementQuery",
    "CommandStatementIngest", "Nothing",
]  # fmt: skip
ACTIONS = ["CreatePreparedStatement", "ClosePreparedStatement", "BeginTransaction", "CancelQuery", "health", "\x00"]
ACTS = ["select", "explain", "key", "reach", "remaining", "ledger", "releases", "declare", "pull", "published",
        "accounts", "account add", "status", "nothing", None, 7]  # fmt: skip
# None of these can be answered with a charge: they have no ε that the share allows, or no candidates, or no relation.
STATEMENTS = ["SELECT 1", "SELECT", "FROM products", "SELECT msd_reach([1], 99)", "SELECT msd_remaining('x')", "'",
              "SELECT msd_select(item_id, 3, 99, 0) FROM products", "\x00", "SELECT * FROM purchases",
              "(" * 500]  # fmt: skip


class Fuzzer:
    """Sends one odd request after the other."""

    def __init__(self, address: str, token: str, seed: int) -> None:
        self.client = flight.FlightClient(address)
        self.options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())], timeout=60)
        self.random = random.Random(seed)
        self.seen: Counter[str] = Counter()

    def run(self, requests: int) -> Counter[str]:
        for _ in range(requests):
            kind = self.random.choice([self.info, self.get, self.action, self.put, self.exchange, self.exchange])
            try:
                kind()
                self.seen["answered"] += 1
            except (flight.FlightError, pa.ArrowException, StopIteration, OSError) as error:
                if isinstance(error, flight.FlightUnavailableError):
                    raise
                self.seen[type(error).__name__] += 1
        return self.seen

    def junk(self, longest: int = 200) -> bytes:
        return self.random.randbytes(self.random.randrange(longest))

    def command(self) -> bytes:
        name = self.random.choice(COMMANDS)
        choice = self.random.random()
        if choice < 0.2:
            return self.junk()
        value = self.random.choice(STATEMENTS).encode() if choice < 0.7 else self.junk()
        made = packed(name, {self.random.randrange(1, 6): self.random.choice([value, 2**63, 0]), 1: value})
        if self.random.random() < 0.3:  # cut off, or one byte changed
            place = self.random.randrange(len(made))
            made = made[:place] + (b"" if self.random.random() < 0.5 else self.junk(3)) + made[place + 1 :]
        return made

    def info(self) -> None:
        self.client.get_flight_info(flight.FlightDescriptor.for_command(self.command()), self.options)

    def get(self) -> None:
        self.client.do_get(flight.Ticket(self.command()), self.options).read_all()

    def action(self) -> None:
        body = self.command()
        list(self.client.do_action(flight.Action(self.random.choice(ACTIONS), body), self.options))

    def put(self) -> None:
        table = pa.table({"a": [self.random.random()]})
        descriptor = flight.FlightDescriptor.for_command(self.command())
        writer, _ = self.client.do_put(descriptor, table.schema, self.options)
        with writer:
            writer.write_table(table)
            writer.done_writing()

    def exchange(self) -> None:
        said: Any = {"act": self.random.choice(ACTS), "given": self.given()}
        text = json.dumps(said).encode() if self.random.random() < 0.9 else self.junk()
        writer, reader = self.client.do_exchange(flight.FlightDescriptor.for_command(text), self.options)
        with writer:
            if self.random.random() < 0.7:
                table = self.groups()
                writer.begin(table.schema)
                writer.write_table(table)
            writer.done_writing()
            while True:
                try:
                    reader.read_chunk()
                except StopIteration:
                    return

    def given(self) -> Any:
        values = [None, 1, -1, 1e308, "", "purchases", "x" * 1000, [], [None], {"a": 1}, "[1,2]", True, '{"eps": "9"}']
        names = ["items", "type", "options", "relation", "names", "first", "last", "from", "statement", "what", "name"]
        found = {name: self.random.choice(values) for name in self.random.sample(names, 4)}
        return found if self.random.random() < 0.9 else self.random.choice(values)

    def groups(self) -> pa.Table:
        if self.random.random() < 0.2:
            return pa.table({"keys": [1, 2], "x": [self.junk(), self.junk()]})
        options = {
            field.name: self.random.choice([None, "1", "-1", "x", "NaN", "1e999", "'"])
            for field in GROUP.field("options").type
        }
        options["eps"] = self.random.choice(["99", "x", "NaN", "-1"])
        count = self.random.randrange(5)
        columns = {
            name: {"type": self.random.choice([None, '"NULL"[]', "VARCHAR[]", "FLOAT[2][]", "INTEGER[][]", "DOUBLE[]"])}
            for name in ("features", "quota", "score")
        }
        row = {
            "keys": self.random.choice([None, [str(one) for one in range(count)], [None]]),
            "numbers": self.random.choice([None, list(range(count)), [None]]),
            "key_type": self.random.choice([None, "INTEGER", "VARCHAR", "DATE", "INTEGER; DROP", "X" * 1000]),
            "options": options,
            "columns": columns,
        }
        return pa.Table.from_pylist([row] * self.random.randrange(1, 4), schema=GROUP)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(dict(Fuzzer(args.address, os.environ["MSD_TOKEN"], args.seed).run(args.requests)))


if __name__ == "__main__":
    main()
