"""Answers that were released, kept in schema msd: asked again of the same rows, in any process, they cost nothing.

What is kept was released already: places of the chosen candidates in key order. A question is a hash of public facts.
The rows are told by a hash of their fingerprint, which could confirm a guess about all of them: it is kept only where
the rows themselves lie in the same file, whose reader needs no guess (docs/privacy.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msd_sql.database.host import Column, Host
from msd_sql.database.sql_text import literal, statement
from msd_sql.udfs.receipt import Receipt

# By the key alone: with any other condition DuckDB (1.5.6, 2.0.0) reads the whole table and not the index, and so does
# a key inside of an expression. The cost of a question must not grow with the answers that were ever given.
_FIND = """
SELECT question, content, picks, diversity, release::VARCHAR, relation FROM msd.kept_answers WHERE question IN {asked}
"""
_RECEIPTS = "SELECT id::VARCHAR, receipt, line::VARCHAR FROM msd.releases WHERE id IN {releases}"
# Rows that differ in the same columns have changed; other columns alone are another audience of the same rows.
_OLD = """
DELETE FROM msd.kept_answers WHERE relation = $relation AND content <> $content AND EXISTS (
  SELECT 1 FROM msd.kept_answers AS old WHERE old.relation = $relation AND old.content <> $content
    AND starts_with(old.content, $columns))
"""
_INTO = "INTO msd.kept_answers (question, content, relation, release, picks, diversity)"
_SAVE = f"{_INTO} SELECT question, $content, $relation, release, picks, diversity FROM {{kept}}"
_SAVE_ONE = f"{_INTO} SELECT $question, $content, $relation, $release, $picks, $diversity"
_COLUMNS = 16  # digits that tell the columns
# A question's key is the first digits of its hash, 128 bits: an index lies in memory, and DuckDB (1.5.6, 2.0.0) lets go
# of what it has read or written of it at a checkpoint only. Older files have keys of all 64 digits.
_DIGITS = 32
_FEW = 16  # keys that are written into the statement; more of them come as a table


@dataclass(frozen=True)
class KeptAnswer:
    """An answer as it is kept. `content` is a hash of the rows that it is about."""

    content: str
    picks: tuple[int, ...]
    diversity: float | None
    receipt: Receipt
    line: str
    answer: str


def content_hash(identity: str, columns: Sequence[str], content: str) -> str:
    """The hash that tells the rows of one database, of the fingerprint of some columns, and which columns these are.

    >>> content_hash("shop", ["user"], "2600000 23981") == content_hash("other", ["user"], "2600000 23981")
    False
    """
    told = hashlib.sha256(repr(list(columns)).encode()).hexdigest()[:_COLUMNS]
    return told + hashlib.sha256(f"{identity}\0{content}".encode()).hexdigest()


def find_answers(host: Host, home: str, relation: str, questions: Sequence[str]) -> dict[str, KeptAnswer]:
    """What is kept of these questions, whatever rows it is about; an empty dictionary if there is nothing.

    >>> find_answers(host, "shop", "main.purchases", ["0f3a…"])
    {}
    """
    wanted = {key: question for question in questions for key in (question, _key(question))}
    if len(wanted) <= _FEW:
        found = _found(host, home, relation, f"({', '.join(map(literal, wanted))})")
    else:
        with host.table("_msd_questions", {"question": list(wanted)}) as name:
            found = _found(host, home, relation, f"(SELECT question FROM {name})")
    # Of two kept answers the one with the newer key.
    return {wanted[key]: found[key] for key in sorted(found, key=len, reverse=True)}


def forget_others(host: Host, home: str, relation: str, content: str) -> None:
    """Forget all answers about other rows if the rows have changed.

    >>> forget_others(host, "shop", "main.purchases", "9c1d…")
    """
    host.run(statement(_OLD, home, relation=relation, content=content, columns=content[:_COLUMNS]))


def save_answers(
    host: Host,
    home: str,
    relation: str,
    content: str,
    answers: Mapping[str, tuple[Sequence[int], float | None, str]],
    *,
    again: bool = False,
) -> None:
    """Keep answers by question: picks, diversity and id of the answer.

    `again`: in the place of what is kept of the same questions, at three times the price; else that is an error.

    >>> release = "f1c5a5e6-3f0e-4d3a-9b7e-0c2c6f1f6a11"
    >>> save_answers(host, "shop", "main.purchases", "9c1d…", {"0f3a…": ((12, 40, 7), 0.8, release)}, again=True)
    """
    facts = {"content": content, "relation": relation}
    insert = "INSERT OR REPLACE " if again else "INSERT "
    if len(answers) == 1:  # a table would take longer to register than to write
        for question, (picks, far, release) in answers.items():
            kept = {"question": _key(question), "release": release, "picks": _written(picks), "diversity": far}
            host.run(statement(insert + _SAVE_ONE, home, **facts, **kept))
        return
    rows: dict[str, Column | Sequence[Any]] = {
        "question": [_key(question) for question in answers],
        "release": [release for _, _, release in answers.values()],
        "picks": [_written(picks) for picks, _, _ in answers.values()],
        "diversity": np.array([float("nan") if far is None else far for _, far, _ in answers.values()]),
    }
    with host.table("_msd_kept", rows) as name:
        host.run(statement(insert + _SAVE.format(kept=name), home, **facts))


def _written(picks: Sequence[int]) -> str:
    # As text: of a list DuckDB (1.5.6, 2.0.0) writes the elements of up to 2,047 rows before it into the log as well.
    return json.dumps(list(map(int, picks)))


def _key(question: str) -> str:
    return question[:_DIGITS]


def _found(host: Host, home: str, relation: str, asked: str) -> dict[str, KeptAnswer]:
    rows = [row[:5] for row in host.rows(statement(_FIND.format(asked=asked), home)) if row[5] == relation]
    if not rows:
        return {}
    releases = ", ".join(f"{literal(row[4])}::UUID" for row in rows)
    told = host.rows(statement(_RECEIPTS.format(releases=f"({releases})"), home))
    receipts = {answer: (receipt, line) for answer, receipt, line in told}
    return {
        question: KeptAnswer(
            content,
            tuple(json.loads(picks)),
            diversity,
            Receipt.from_dict(json.loads(receipts[answer][0])),
            receipts[answer][1],
            answer,
        )
        for question, content, picks, diversity, answer in rows
        if answer in receipts
    }
