"""The dot-commands of the shell."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msd_sql.errors import InputError, suggest
from msd_sql.shell.execute import held, interruptible
from msd_sql.shell.render import MODES, mode_named, render
from msd_sql.surface.functions import FUNCTIONS, function_named
from msd_sql.surface.reference import card, overview

if TYPE_CHECKING:
    from msd_sql.shell.session import Session

Act = Callable[["Session", list[str]], None]


@dataclass(frozen=True)
class Dot:
    """A dot-command: what to type after it, what it does, and how."""

    name: str
    takes: str
    doc: str
    act: Act
    least: int = 0
    most: int = 1


def run(session: Session, line: str) -> None:
    """Run one line that starts with a dot; an unknown one suggests the nearest."""
    words = _words(line)
    name, given = words[0].lower(), words[1:]
    dot = DOTS.get(name)
    if dot is None:
        raise InputError(suggest("command", name, DOTS) + " (.help says what they do)")
    if not dot.least <= len(given) <= dot.most:
        raise InputError(f"Usage: {dot.name} {dot.takes}".rstrip())
    dot.act(session, given)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise InputError(f"{line}: {error}.") from None


def _tables(session: Session, given: list[str]) -> None:
    pattern = given[0] if given else "%"
    with interruptible(session.con):
        found = session.con.execute(
            "SELECT table_schema AS schema, table_name AS name, lower(table_type) AS kind FROM "
            "information_schema.tables WHERE table_catalog = current_database() AND table_name LIKE $1 ORDER BY ALL",
            [pattern],
        ).fetchall()
    session.write(render(held(["schema", "name", "kind"], ["VARCHAR"] * 3, found), session.mode, rows=session.max_rows))


def _schema(session: Session, given: list[str]) -> None:
    rows = session.con.execute(
        "SELECT sql FROM (SELECT schema_name, table_name AS name, sql FROM duckdb_tables() WHERE NOT internal "
        "UNION ALL "
        "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal) "
        "WHERE name LIKE $1 AND (schema_name <> 'msd' OR $1 <> '%') ORDER BY name",
        [given[0] if given else "%"],
    ).fetchall()
    session.write("".join(f"{str(row[0]).rstrip().rstrip(';')};\n" for row in rows))


def _read(session: Session, given: list[str]) -> None:
    session.read(Path(given[0]).expanduser())


def _mode(session: Session, given: list[str]) -> None:
    if given:
        session.mode = mode_named(given[0].lower())
    else:
        session.write(f"{session.mode} (of {', '.join(MODES)})\n")


def _output(session: Session, given: list[str]) -> None:
    session.redirect(given[0] if given and given[0] != "stdout" else None)


def _switch(word: str) -> bool:
    if word.lower() not in ("on", "off"):
        raise InputError(suggest("setting", word, ("on", "off")))
    return word.lower() == "on"


def _timer(session: Session, given: list[str]) -> None:
    session.timer = _switch(given[0])


def _bail(session: Session, given: list[str]) -> None:
    session.bail = _switch(given[0])


def _max_rows(session: Session, given: list[str]) -> None:
    if not given[0].isdigit() or int(given[0]) < 1:
        raise InputError(f".maxrows takes a whole number of at least 1; got {given[0]}.")
    session.max_rows = int(given[0])


def _budget(session: Session, given: list[str]) -> None:
    for line in session.budgets.lines(session.con):
        session.write(line + "\n")


def _functions(session: Session, given: list[str]) -> None:
    session.write(card(function_named(given[0])) if given else overview(FUNCTIONS.values()))


def _help(session: Session, given: list[str]) -> None:
    width = max(len(f"{dot.name} {dot.takes}") for dot in DOTS.values())
    lines = [f"  {f'{dot.name} {dot.takes}':<{width}}  {dot.doc}\n" for dot in DOTS.values()]
    session.write("".join(["SQL ends with a semicolon. A line that starts with a dot is a command:\n", *lines]))


def _quit(session: Session, given: list[str]) -> None:
    from msd_sql.shell.session import Leave

    raise Leave


_ALL = (
    Dot(".bail", "on|off", "Stop at the first error.", _bail, 1),
    Dot(".budget", "", "What is protected, what was spent and what is left.", _budget, 0, 0),
    Dot(".exit", "", "Leave, as .quit.", _quit, 0, 0),
    Dot(".functions", "[NAME]", "Our SQL functions, or one of them in full.", _functions),
    Dot(".help", "", "This list.", _help, 0, 1),
    Dot(".maxrows", "N", "How many rows a box shows.", _max_rows, 1),
    Dot(".mode", "[MODE]", f"The output: {', '.join(MODES)}.", _mode),
    Dot(".output", "[FILE]", "Write results to a file; without one, to the screen again.", _output),
    Dot(".quit", "", "Leave (also Ctrl-D).", _quit, 0, 0),
    Dot(".read", "FILE", "Run the statements of a file.", _read, 1),
    Dot(".schema", "[NAME]", "The CREATE statements of tables and views; NAME may hold % and _.", _schema),
    Dot(".tables", "[NAME]", "The tables and views; NAME may hold % and _.", _tables),
    Dot(".timer", "on|off", "Show how long each statement took.", _timer, 1),
)
DOTS = {dot.name: dot for dot in _ALL}
