"""The SQL reference as text and as Markdown, from `functions.py` alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from msd_sql.surface.description import Argument, Function
from msd_sql.surface.functions import FUNCTIONS

WIDTH = 100


def overview(functions: Iterable[Function]) -> str:
    """One line for every function.

    >>> "msd_select" in overview(FUNCTIONS.values())
    True
    """
    rows = [(function.short, function.doc) for function in functions]
    width = max(len(short) for short, _ in rows)
    lines = [
        textwrap.fill(doc, WIDTH, initial_indent=f"{short:<{width}}  ", subsequent_indent=" " * (width + 2))
        for short, doc in rows
    ]
    return "\n".join([*lines, "", "In full: msd functions NAME, or .functions NAME in the shell.\n"])


def card(function: Function) -> str:
    """One function in full.

    >>> card(FUNCTIONS["msd_remaining"]).splitlines()[0]
    'msd_remaining(relation)'
    """
    call = textwrap.fill(function.signature, WIDTH, subsequent_indent="    ", break_long_words=False)
    parts = [call, "", textwrap.fill(function.doc, WIDTH), f"Returns {function.returns}. For the {function.who}.", ""]
    width = max((len(argument.name) for argument in function.arguments), default=0)
    for argument in function.arguments:
        head = f"  {argument.name:<{width}}  "
        parts.append(textwrap.fill(_about(argument), WIDTH, initial_indent=head, subsequent_indent=" " * len(head)))
    return "\n".join([*parts, *([""] if function.arguments else []), textwrap.indent(function.example, "  ")]) + "\n"


def _about(argument: Argument) -> str:
    allowed = f" One of {', '.join(argument.allowed)}." if argument.allowed else ""
    default = "" if argument.required or argument.default == "NULL" else f" Default {argument.default}."
    return f"{argument.type}{', required' if argument.required else ''}. {argument.doc}{allowed}{default}"


def markdown() -> str:
    """docs/sql.md.

    >>> markdown().splitlines()[0]
    '# SQL reference'
    """
    parts = [
        "# SQL reference",
        "",
        "<!-- Made from surface/functions.py by `msd functions --markdown > docs/sql.md`; do not edit by hand. -->",
        "<!-- snippets: shop -->",
        "",
        "| function | who | what it does |",
        "|---|---|---|",
    ]
    parts += [f"| [`{f.name}`](#{f.name}) | {f.who} | {f.doc} |" for f in FUNCTIONS.values()]
    for function in FUNCTIONS.values():
        parts += ["", *_section(function)]
    return "\n".join(parts) + "\n"


def _section(function: Function) -> list[str]:
    call = textwrap.fill(function.signature, WIDTH, subsequent_indent="    ", break_long_words=False)
    table = [
        f"| `{argument.name}` | {argument.type} | {_default(argument)} | {_meaning(argument)} |"
        for argument in function.arguments
    ]
    head = ["| argument | type | default | meaning |", "|---|---|---|---|"]
    return [
        f"## {function.name}",
        "",
        "```text",
        call,
        "```",
        "",
        f"{function.doc} Returns {function.returns}.",
        "",
        *([*head, *table, ""] if table else []),
        "```sql refused" if function.remote else "```sql",  # where the page's examples run there is no curator
        function.example,
        "```",
    ]


def _default(argument: Argument) -> str:
    return "required" if argument.required else f"`{argument.default}`"


def _meaning(argument: Argument) -> str:
    allowed = f" One of {', '.join(f'`{name}`' for name in argument.allowed)}." if argument.allowed else ""
    return f"{argument.doc}{allowed}".replace("|", "\\|")
