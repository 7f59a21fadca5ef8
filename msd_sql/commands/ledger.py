"""What was declared, asked and spent in a database: its budgets and a line for every statement, oldest first.

Only public facts: the ledger holds no private value. The database is opened for reading.

  msd ledger shop.duckdb                    budgets, then a line a statement
  msd ledger shop.duckdb --by day           what was charged day by day (or by who, or by relation)
  msd ledger shop.duckdb --plot spent.png   a picture of what all answers came to over time, below the budget
  msd ledger shop.duckdb --releases         a line an answer, with its bound and receipt
  msd ledger shop.duckdb --json             every column of every line, for programs
  msd ledger shop.duckdb --check            does the journal beside the file agree with it? (exit code 1: no)
  msd ledger shop.duckdb --repair           let the larger of the two count, and begin a new journal where it must be
"""

from __future__ import annotations

import argparse

from msd_sql.commands.shell import MODES

_REMARKS = """concat_ws(', ', CASE WHEN exact THEN 'exact' END, CASE WHEN asserted_public THEN 'asserted public' END,
CASE WHEN repeated > 0 THEN repeated || ' told again' END) AS remarks"""
COLUMNS = f"""strftime(time, '%Y-%m-%d %H:%M:%S') AS time_utc, who, relation, what, releases, eps, delta, composed_eps,
{_REMARKS}"""
# Sums of a group: what was charged, and what all answers came to after its last line.
SUMS = """count(*) AS statements, sum(releases) AS releases, sum(repeated) AS told_again, sum(charged_eps) AS eps,
sum(charged_delta) AS delta, arg_max(composed_eps, time) AS composed_eps_after"""
# For people: four digits and no δ. Where it is narrow DuckDB leaves out columns from the middle, and never the last.
_ROUNDED = "CAST(format('{{:.4g}}', {0}) AS DOUBLE) AS {0}"
_BOX = f"""strftime(time, '%Y-%m-%d %H:%M') AS time_utc, who, releases, {_REMARKS}, relation, {_ROUNDED.format("eps")},
{_ROUNDED.format("composed_eps")}, what"""
_BOX_SUMS = f"""* EXCLUDE (delta) REPLACE ({_ROUNDED.format("eps")}, {_ROUNDED.format("composed_eps_after")})"""
GROUPS = {"day": "strftime(time, '%Y-%m-%d') AS day", "who": "who, program", "relation": "charged_to AS relation"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd ledger`."""
    parser.add_argument("file", help="database file")
    parser.add_argument("--relation", help="only the lines of this protected relation")
    parser.add_argument("--who", help="only the lines of this account or user")
    parser.add_argument("--by", choices=GROUPS, help="what was charged day by day, by account, or by relation")
    parser.add_argument("--releases", action="store_true", help="a line for every answer, with its receipt")
    parser.add_argument("--full", action="store_true", help="every column, with statement and parameters")
    parser.add_argument("--json", action="store_true", help="every column as JSON (with --by: the sums)")
    parser.add_argument("--check", action="store_true", help="do journal, budgets and lines agree? (exit code 1: no)")
    parser.add_argument(
        "--repair", action="store_true", help="mend a missing, cut or changed journal: nothing is refunded"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the budgets over time, .png or .svg (extra: plots)")
    parser.add_argument("--mode", choices=MODES, default="box", help="output format (default: box)")


def run(args: argparse.Namespace) -> int:
    """Print the budgets, then the ledger; or check it against its journal."""
    if args.check or args.repair:
        return _examine(args.file, repair=args.repair)
    if args.plot:
        return _draw(args)
    from msd_sql.shell.session import Session

    session = Session.open(args.file, read_only=True)
    session.mode, session.max_rows = "json" if args.json else args.mode, 1_000_000 if args.json else 1_000
    try:
        if session.mode == "box":
            session.command(".budget")
        session.statement(statement(args))
        return int(session.failed)
    finally:
        session.close()


def _draw(args: argparse.Namespace) -> int:
    import msd_sql
    from msd_sql.api.declarations import calling
    from msd_sql.database.open_file import connect
    from msd_sql.plots import History, plot_budgets, save

    with connect(args.file, read_only=True) as con:
        msd_sql.register(con)
        lines = con.execute(
            "SELECT charged_to, time, CAST(composed_eps AS DOUBLE) FROM msd_ledger() WHERE charged_eps > 0 ORDER BY 2"
        ).fetchall()
        with calling(con, "msd ledger --plot") as call:
            budgets = {one.stored_name: float(one.budget) for one in call.protected() if one.shares is None}
    histories = [
        History(name, budget, [row[1] for row in lines if row[0] == name], [row[2] for row in lines if row[0] == name])
        for name, budget in budgets.items()
        if not args.relation or name.split(".")[-1] == args.relation.split(".")[-1].lower()
    ]
    if not histories:
        print(f"Nothing is protected in {args.file}, or nothing by that name: there is nothing to draw.")
        return 1
    print(f"Written: {save(plot_budgets(histories), args.plot)}")
    return 0


def _examine(file: str, *, repair: bool) -> int:
    from msd_sql.catalog.homes import databases
    from msd_sql.catalog.journal.check import examine, mend
    from msd_sql.database.duckdb_host import DuckDBHost
    from msd_sql.database.open_file import connect

    with connect(file, read_only=not repair) as con, con.cursor() as cursor:
        host = DuckDBHost(cursor, own=True)
        home = next((one for one in databases(host).values() if one.home and one.path is not None), None)
        if home is None or home.path is None:
            print(f"{file} has no ledger: nothing was ever declared in it.")
            return 0
        findings = mend(host, home.name, home.path) if repair else examine(host, home.name, home.path)
        if repair:
            findings += examine(host, home.name, home.path)
    for finding in findings:
        print(f"{'ok' if finding.holds else 'NO'}  {finding.text}")
    return int(not all(finding.holds for finding in findings))


def statement(args: argparse.Namespace) -> str:
    """Write the SQL that shows what was asked for.

    >>> asked = {"by": "who", "releases": False, "full": False, "json": False, "relation": None, "who": "anna"}
    >>> statement(argparse.Namespace(**asked, mode="csv"))
    "SELECT who, program, count(*) AS statements, ... FROM msd_ledger() WHERE who = 'anna' AND ... GROUP BY ALL ..."
    """
    where = []
    if args.relation:
        name = _quoted(args.relation)
        where.append(f"(relation = {name} OR relation LIKE '%.' || {name})")
    if args.who and not args.releases:
        where.append(f"who = {_quoted(args.who)}")
    box = args.mode == "box" and not args.json
    if args.by:
        where.append("releases + repeated > 0")
        sums = f"SELECT {GROUPS[args.by]}, {SUMS} FROM msd_ledger(){_where(where)} GROUP BY ALL ORDER BY ALL"
        return f"SELECT {_BOX_SUMS} FROM ({sums}) ORDER BY ALL" if box else sums
    if args.releases:
        return f"SELECT * FROM msd_releases(){_where(where)}"
    return f"SELECT {'*' if args.full or args.json else _BOX if box else COLUMNS} FROM msd_ledger(){_where(where)}"


def _where(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
