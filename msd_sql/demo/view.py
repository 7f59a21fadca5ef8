"""Showing the demo: plain text for a pipe, colours for a terminal (with rich), a page, or a picture for the README."""

from __future__ import annotations

import html
import io
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msd_sql.demo.story import Section, Story

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100


def now_you(msd: str = "msd", kept: Path | None = None) -> str:
    """Say what to type next, `msd` being the command as it is found here and `kept` the file that holds the shop.

    >>> print(now_you())
    Now you:
      msd demo --keep shop.duckdb    keep this shop
      msd shell shop.duckdb          ask your own questions (.help, .functions, .budget)
    """
    keep = [] if kept else [(f"{msd} demo --keep shop.duckdb", "keep this shop")]
    shell = f"{msd} shell {shlex.quote(str(kept or 'shop.duckdb'))}"
    lines = [*keep, (shell, "ask your own questions (.help, .functions, .budget)")]
    width = max(len(command) for command, _ in lines)
    head = f"Now you; the shop is in {kept}:" if kept else "Now you:"
    return "\n".join([head, *(f"  {command.ljust(width)}    {what}" for command, what in lines)])


def msd_here() -> str:
    """The command that starts `msd` in the shell that started us: an environment need not be on its PATH.

    >>> msd_here()
    '...msd...'
    """
    if shutil.which("msd"):
        return "msd"
    beside = Path(sys.executable).with_name("msd.exe" if os.name == "nt" else "msd")
    program = beside if beside.exists() else Path(sys.executable)
    near = program.relative_to(Path.cwd()) if program.is_relative_to(Path.cwd()) else program
    return shlex.quote(str(near)) + ("" if beside.exists() else " -m msd_sql.cli")


def show(story: Story, kept: Path | None = None) -> None:
    """Print the story: in colour where the terminal and the installed packages allow it.

    `kept` is the file that holds the shop; without one the story ends with how to keep it.
    """
    ending = now_you(msd_here(), kept)
    if sys.stdout.isatty():
        try:
            from rich.console import Console
        except ImportError:
            pass
        else:
            draw(story, Console(), ending)
            return
    print(text(story, ending), end="")


def text(story: Story, ending: str | None = None) -> str:
    """Write the story as plain text.

    >>> text(Story("A shop.", (), 1.0)).splitlines()[0]
    'A shop.'
    """
    parts = [textwrap.fill(story.heading, WIDTH), ""]
    for number, section in enumerate(story.sections, start=1):
        parts += [f"{number}. {section.title}", *_indented(section.sql)]
        if section.columns:
            parts += ["", *_indented(_table(section.columns, section.rows, section.repeated))]
        if section.remark:
            parts += ["", *_indented(textwrap.fill(section.remark, WIDTH - 3))]
        parts.append("")
    return "\n".join([*parts, f"All of it took {story.seconds:.1f} s.", "", ending or now_you(), ""])


def _indented(lines: str) -> list[str]:
    return [f"   {line}" for line in lines.splitlines()]


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]], repeated: frozenset[int]) -> str:
    cells = [[str(value) for value in row] for row in rows]
    widths = [max(len(row[place]) for row in [list(columns), *cells]) for place in range(len(columns))]
    lines = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)) for row in cells]
    head = "  ".join(value.ljust(width) for value, width in zip(columns, widths, strict=True))
    body = [f"{line}{'  <- again' if place in repeated else ''}".rstrip() for place, line in enumerate(lines)]
    return "\n".join([head.rstrip(), "  ".join("-" * width for width in widths), *body])


def draw(story: Story, console: Console, ending: str | None = None) -> None:
    """Draw the story on a rich console."""
    from rich.padding import Padding
    from rich.syntax import Syntax
    from rich.text import Text

    console.print(Text(story.heading, style="bold"))
    for number, section in enumerate(story.sections, start=1):
        console.print()
        console.print(Text(f"{number}. {section.title}", style="bold cyan"))
        if section.sql:
            console.print(Padding(Syntax(section.sql, "sql", theme="ansi_dark", word_wrap=True), (0, 0, 0, 3)))
        if section.columns:
            console.print(Padding(_rich_table(section), (0, 0, 0, 3)))
        if section.remark:
            refused = not section.columns
            console.print(Padding(Text(section.remark, style="red" if refused else "italic"), (0, 0, 0, 3)))
    console.print(f"\nAll of it took {story.seconds:.1f} s.\n")
    console.print(ending or now_you(), highlight=False, markup=False, soft_wrap=True)


def _rich_table(section: Section) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.ROUNDED, header_style="bold")
    for name in section.columns:
        table.add_column(name)
    for place, row in enumerate(section.rows):
        table.add_row(*(str(value) for value in row), style="yellow" if place in section.repeated else None)
    return table


def svg(story: Story, path: Path) -> None:
    """Draw the story to an SVG file, as a terminal would show it."""
    from rich.console import Console

    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    draw(story, console)
    path.write_text(console.export_svg(title="msd demo"), "utf-8")


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; }
pre { background: #f3f5f7; padding: .8rem 1rem; border-radius: 6px; overflow-x: auto; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .3rem .9rem .3rem 0; }
th { border-bottom: 2px solid #9aa7b4; } td { border-bottom: 1px solid #dde3e9; }
tr.again td { background: #fdf3d8; } .refused { color: #a3261b; } h2 { margin-top: 2rem; font-size: 1.15rem; }
"""


def page(story: Story) -> str:
    """Write the story as one HTML page that needs nothing else.

    >>> page(Story("A shop.", (), 1.0)).startswith("<!doctype html>")
    True
    """
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>msd_sql: the demo</title>",
        f"<style>{_STYLE}</style><h1>A private and diverse six</h1><p>{html.escape(story.heading)}</p>",
    ]
    for number, section in enumerate(story.sections, start=1):
        parts.append(f"<h2>{number}. {html.escape(section.title)}</h2>")
        if section.sql:
            parts.append(f"<pre>{html.escape(section.sql)}</pre>")
        if section.columns:
            parts.append(_html_table(section))
        if section.remark:
            kind = "" if section.columns else " class='refused'"
            parts.append(f"<p{kind}>{html.escape(section.remark)}</p>")
    return "\n".join([*parts, f"<p>All of it took {story.seconds:.1f} s.</p></html>\n"])


def _html_table(section: Section) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in section.columns)
    body = []
    for place, row in enumerate(section.rows):
        cells = "".join(f"<td>{html.escape(str(value))}</td>" for value in row)
        body.append(f"<tr{' class=again' if place in section.repeated else ''}>{cells}</tr>")
    return f"<table><tr>{head}</tr>{''.join(body)}</table>"
