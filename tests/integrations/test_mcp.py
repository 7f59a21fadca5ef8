"""`msd mcp` as an assistant sees it: in this process, and over standard input and output."""

import asyncio
import json
import sys

import pytest

import msd_sql
from tests.integrations.conftest import left

mcp = pytest.importorskip("mcp", reason="mcp is not installed: python3 dev.py integrations")


async def asked(server):
    answers = {}
    async with mcp.Client(server) as client:
        answers["tools"] = sorted(tool.name for tool in (await client.list_tools()).tools)
        for name, tool, given in (
            ("tables", "tables", {}),
            ("explained", "explain", {"table": "products", "k": 3, "eps": 0.1}),
            ("chosen", "select", {"table": "products", "k": 3, "eps": 0.1, "filters": {"kind": "a"}}),
            ("too much", "select", {"table": "products", "k": 3, "eps": 0.9}),
            ("private", "select", {"table": "purchases", "k": 3, "eps": 0.1}),
            ("injected", "select", {"table": "products", "k": 3, "eps": 0.1, "filters": {"1=1 OR kind": "a"}}),
            ("left", "remaining", {"relation": "purchases"}),
        ):
            told = await client.call_tool(tool, given)
            answers[name] = (bool(told.is_error), told.content[0].text)
    return answers


def check(answers, file):
    assert answers["tools"] == ["explain", "remaining", "select", "tables"]
    declared = json.loads(answers["tables"][1])
    assert declared["items"][0]["key"] == "item_id"
    assert "method: greedy" in answers["explained"][1]
    chosen = json.loads(answers["chosen"][1])
    assert [row["kind"] for row in chosen["rows"]] == ["a"] * 3
    assert answers["too much"][0]
    assert "0.5 an answer at most" in answers["too much"][1]
    assert answers["private"][0]
    assert "Unknown items table" in answers["private"][1]
    assert answers["injected"][0]
    assert "Unknown column" in answers["injected"][1]
    assert float(answers["left"][1]) == pytest.approx(0.9)
    assert left(file) == 0.9


def test_in_this_process(file):
    from msd_sql.integrations.mcp_server import server

    with msd_sql.connect(file) as con:
        answers = asyncio.run(asked(server(con, most_eps=0.5)))
    check(answers, file)


def test_over_standard_input_and_output(file):
    command = ["-m", "msd_sql.cli", "mcp", str(file), "--max-eps", "0.5"]
    answers = asyncio.run(asked(mcp.StdioServerParameters(command=sys.executable, args=command)))
    check(answers, file)
