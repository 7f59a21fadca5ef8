"""A worker for tests/bridge/test_host.py: runs what it is told on a BridgeHost and answers with what it got."""

from __future__ import annotations

import sys

import numpy as np

from msd_sql.bridge import wire
from msd_sql.bridge.channel import Line
from msd_sql.bridge.host import BridgeHost
from msd_sql.database.host import Conflict, HostError


def shown(column) -> str:
    return f"{column.dtype}: {column.tolist()}"


def act(host: BridgeHost, how: str, sql: str) -> str:
    if how == "rows":
        return repr(host.rows(sql))
    if how == "columns":
        return repr({name: shown(column) for name, column in host.columns(sql).items()})
    if how == "blocks":
        return repr([len(next(iter(block.values()))) for block in host.blocks(sql)])
    if how == "half a block":
        next(iter(host.blocks(sql)))
        return repr(host.rows("SELECT 'and the line still works'"))
    if how == "table":
        keys = [None if i % 1000 == 3 else f"clé {i}" for i in range(5000)]
        columns = {
            "i": np.arange(5000, dtype=np.int32),
            "key": keys,
            "x": np.linspace(0, 1, 5000),
            "b": np.arange(5000) > 3,
        }
        with host.table("told", columns):
            inside = host.rows(sql)
        return repr([inside, host.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'told'")])
    if how == "commit":
        with host.transaction() as inner:
            inner.run(sql)
        return "committed"
    if how == "rollback":
        try:
            with host.transaction() as inner:
                inner.run(sql)
                raise ValueError
        except ValueError:
            return "rolled back"
    if how == "conflict":
        try:
            with host.transaction() as one, one.transaction() as two:
                one.run(sql)
                two.run(sql)
        except Conflict:
            return "conflict"
    if how == "die":
        sys.exit(3)
    return "?"


def main() -> None:
    line = Line.inherited(int(sys.argv[-2]), int(sys.argv[-1]))
    while True:
        try:
            _, message = line.receive()
        except EOFError:
            return
        call = wire.Reader(message)
        name, rows, returns = call.text(), call.number("Q"), call.type()
        columns = [wire.values(call.vector(call.type(), rows)) for _ in range(call.number("I"))]
        try:
            if name == "told":
                answers = [act(BridgeHost(line, "test"), *row) for row in zip(*columns, strict=True)]
            else:
                answers = columns[0]  # an echo
        except HostError as error:
            line.send(b"X", f"{type(error).__name__} of {error.kind}: {error}".encode())
        else:
            line.send(b"R", wire.encode(returns, answers))


main()
