"""The shell at a terminal: an editor with history, colours and completion, or plain input where it is not installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from msd_sql.shell.curated import Curated
from msd_sql.shell.session import Leave, Session
from msd_sql.shell.statements import finished
from msd_sql.shell.user_files import history_file

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings

PLAIN = "History, colours and completion need the extra: pip install 'msd-sql[shell]'. This is the plain shell."
Ask = Callable[[str], str]
# The terminal's own colours, so that both light and dark ones stay readable.
COLOURS = {
    "pygments.keyword": "bold ansigreen",
    "pygments.literal.string": "ansiyellow",
    "pygments.literal.number": "ansicyan",
    "pygments.operator": "",
    "pygments.comment": "ansibrightblack",
}


def interact(session: Session) -> int:
    """Talk to a person until they leave; the exit code."""
    session.interactive = True
    session.bail = False
    ask = _editor(session)
    curated = session.budgets if isinstance(session.budgets, Curated) else None
    where = f"database {session.path}" + (f", {curated.whose}" if curated else "")
    session.complain(f"msd_sql on DuckDB, {where}. SQL ends with ;  .help for commands, Ctrl-D leaves.")
    for line in curated.lines(session.con) if curated else ():
        session.complain(line)
    while True:
        try:
            text = ask(session.budgets.prompt)
        except KeyboardInterrupt:  # at the prompt: forget the line
            continue
        except EOFError:
            return 0
        try:
            rest = session.feed(text if text.endswith("\n") else text + "\n")
            if rest:
                session.statement(rest.strip())
        except Leave:
            return 0
        except KeyboardInterrupt:  # between two statements
            session.complain("Interrupted.")


def _editor(session: Session) -> Ask:
    try:
        import prompt_toolkit  # noqa: F401
    except ImportError:
        session.complain(PLAIN)
        return _plain
    return _prompt_toolkit(session)


def _plain(before: str) -> str:
    lines = [input(_prompt(before))]
    while not finished("\n".join(lines)):
        lines.append(input("...> "))
    return "\n".join(lines)


def _prompt(before: str) -> str:
    return f"[{before}] msd> " if before else "msd> "


def _prompt_toolkit(session: Session) -> Ask:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.lexers import Lexer, PygmentsLexer
    from prompt_toolkit.styles import Style

    from msd_sql.shell.completion import ShellCompleter

    lexer: Lexer | None = None
    with suppress(ImportError):
        from pygments.lexers.sql import SqlLexer

        lexer = PygmentsLexer(SqlLexer)
    prompt: PromptSession[str] = PromptSession(
        history=FileHistory(str(history_file())),
        completer=ShellCompleter(session.con),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=lexer,
        style=Style.from_dict(COLOURS),
        multiline=True,
        key_bindings=_keys(),
        prompt_continuation=lambda width, number, wrapped: "" if wrapped else f"{'...> ':>{width}}",
    )

    def ask(before: str) -> str:
        text = prompt.prompt(_prompt(before))
        sys.stdout.flush()
        return text

    return ask


def _keys() -> KeyBindings:
    """Enter ends the input where it is finished, and starts a new line where it is not."""
    from prompt_toolkit.filters import completion_is_selected
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()

    @keys.add("enter", filter=~completion_is_selected)
    def _(event: KeyPressEvent) -> None:
        if finished(event.current_buffer.text):
            event.current_buffer.validate_and_handle()
        else:
            event.current_buffer.insert_text("\n")

    return keys
