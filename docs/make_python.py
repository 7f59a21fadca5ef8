"""Writes docs/python.md from the docstrings of the Python API: `python docs/make_python.py`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import msd_sql

PAGE = Path(__file__).parent / "python.md"
PARTS = {
    "Connections": ("connect", "register", "unregister", "Connection"),
    "The owner": ("protect", "items"),
    "The analyst": ("select", "topk", "explain", "reach", "remaining", "ledger"),
    "Answers": ("Selection", "Options"),
    "Arrays, without a database": ("diversify",),
    "Errors": ("typed_errors", "MsdError", "InputError", "PrivacyError", "BudgetError", "LeakError", "CatalogError",
               "EngineError"),
}  # fmt: skip
HEAD = """# The Python API

<!-- snippets: shop -->

Made from the docstrings by `python docs/make_python.py`; their examples are run by the tests. What a connection is
asked in SQL is on [its own page](sql.md); what works in which tool, and what charges, in the
[table of integrations](integrations.md).

```python
import msd_sql

with msd_sql.connect("shop.duckdb") as con:
    msd_sql.protect(con, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
    msd_sql.items(con, "products", key="item_id", features="categories", reach="purchases")
    six = msd_sql.select("SELECT * FROM products", con=con, k=6, eps=0.1, diversity=0.5)
    print(six, six.rows, msd_sql.remaining(con, "purchases"))
```

A declaration that is written as a lazy relation, `duckdb_connection.sql("SELECT msd_protect(…)")`, is made when DuckDB
runs the relation, which is when somebody looks at it. `msd_sql.protect`, `con.execute`, and `con.sql` of a connection
of `msd_sql.connect` make it at once.
"""


def page() -> str:
    """The whole page."""
    found = [HEAD]
    for title, names in PARTS.items():
        found.append(f"## {title}\n")
        found += [_entry(name) for name in names]
    return "\n".join(found)


def _entry(name: str) -> str:
    thing = getattr(msd_sql, name)
    text = inspect.getdoc(thing) or ""
    lines = [f"### `msd_sql.{name}`\n"]
    if inspect.isfunction(thing):
        lines.append(f"```text\n{name}{_signature(thing)}\n```\n")
    if name == "Options":
        lines.append(
            "\n".join(
                f"- `{one}`: `{getattr(kind, '__forward_arg__', kind)}`" for one, kind in thing.__annotations__.items()
            )
            + "\n"
        )
    if name == "Selection":
        members = {one: getattr(thing, one) for one in vars(thing) if not one.startswith("_")}
        public = {one: found for one, found in members.items() if found is not None and inspect.getdoc(found)}
        shown = [f"- `.{one}`: {inspect.getdoc(found).splitlines()[0]}" for one, found in public.items()]
        text += "\n\n" + "\n".join(shown)
    return "\n".join([*lines, _markdown(text), ""])


def _signature(function: object) -> str:
    signature = inspect.signature(function)  # type: ignore[arg-type]
    parts: list[str] = []
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(str(one).replace("'", ""))
    inside = ",\n    ".join(parts)
    return f"(\n    {inside}\n) -> {str(signature.return_annotation).replace(chr(39), '')}"


def _markdown(text: str) -> str:
    made, example, section = [], False, False
    for line in text.splitlines():
        if line.startswith(">>>") and not example:
            made.append("```pycon")
            example = True
        elif example and not line.strip():
            made.append("```")
            example = False
        if line in ("Args:", "Returns:"):
            made.append(f"**{line[:-1]}**\n")
            section = True
        elif section and (found := re.match(r"    (\*{0,2}\w+): (.*)", line)):
            made.append(f"- `{found[1]}`: {found[2]}")
        elif section and line.startswith("    "):
            made.append(line.strip() if not line.startswith("        ") else f"  {line.strip()}")
        else:
            section = section and not line.strip()
            made.append(line)
    return "\n".join([*made, "```"] if example else made)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
