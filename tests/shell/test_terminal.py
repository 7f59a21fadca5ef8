"""The shell as a person meets it, in a pseudo-terminal: with the editor, and plain where it is not installed."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.charge import charge_of

pexpect = pytest.importorskip("pexpect", reason="a pseudo-terminal session needs pexpect (extra: test)")

EDITOR = find_spec("prompt_toolkit") is not None
PLAIN = (
    "import sys; sys.modules['prompt_toolkit'] = None; from msd_sql.__main__ import run; sys.exit(run(sys.argv[1:]))"
)
LONG = "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range * b.range % 7 = 3;"
LONG_SELECTION = (
    "SELECT msd_select(item_id, 60, 0.01, 0.5, method := 'sls', gamma := 0.02, fresh := true) FROM products;"
)


class Person:
    """Types at a terminal and reads what stands there."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._child = pexpect.spawn(
            sys.executable, arguments, env=environment, dimensions=(50, 120), encoding="utf-8", timeout=30
        )

    def types(self, text: str) -> None:
        self._child.send(text + "\r")

    def presses(self, keys: str) -> None:
        self._child.send(keys)

    def sees(self, text: str) -> None:
        self._child.expect(re.escape(text))

    def leaves(self) -> int:
        """Presses Ctrl-D until it is heard: between two prompts the terminal is nobody's."""
        for _ in range(30):
            self._child.send("\x04")
            if self._child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=1) == 0:
                break
        return self.left()

    def left(self) -> int:
        self._child.expect(pexpect.EOF)
        self._child.close()
        return int(self._child.exitstatus)


@pytest.fixture(params=["editor", "plain"])
def sits_down(request: pytest.FixtureRequest, environment: dict[str, str]) -> Iterator[Callable[[Path], Person]]:
    if request.param == "editor" and not EDITOR:
        pytest.skip("prompt_toolkit is not installed (extra: shell)")
    start = ["-m", "msd_sql"] if request.param == "editor" else ["-c", PLAIN]
    people: list[Person] = []

    def come(path: Path) -> Person:
        people.append(Person([*start, str(path)], environment))
        people[-1].sees("msd>")
        return people[-1]

    yield come
    for person in people:
        person._child.close(force=True)


def test_a_person_protects_selects_is_refused_and_leaves(sits_down, empty_shop: Path) -> None:
    person = sits_down(empty_shop)
    person.types("SELECT msd_protect('purchases', unit := 'user_id',")
    person.types("  item := 'item_id', budget := 1.0, delta := 1e-9);")
    person.sees("is protected")
    person.types("SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases');")
    person.sees("is a public items relation")
    person.types("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products;")
    person.sees("purchases: charged ε 0.1, δ 5e-11; noise ")
    person.sees("55 more like the")  # the line is wrapped
    person.sees("[purchases ε 0.9 left] msd>")
    person.types("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases;")
    person.sees("LeakError: ")
    person.types("SELECT msd_select(item_id, 6, 5, 0.5) FROM products;")
    person.sees("BudgetError: ")
    person.types(".budget")
    person.sees("purchases: spent ε 0.1 of 1 after 1 answer")
    person.types("SELECT oops;")
    person.sees("^")
    assert person.leaves() == 0


def test_ctrl_c_cancels_the_query_and_not_the_shell(sits_down, shop: Path) -> None:
    person = sits_down(shop)
    for statement, waits in ((LONG, lambda: time.sleep(1.0)), (LONG_SELECTION, charge_of(shop))):
        person.types(statement)  # it would run for hours
        waits()
        person.presses("\x03")
        person.sees("Interrupted.")
        person.sees("msd>")
    person.types("SELECT 40 + 2 AS answer;")
    person.sees("42")
    person.types(".budget")
    person.sees("spent ε 0.01 of 1")  # the interrupted release had begun, so it stays charged
    person.types(".quit")
    assert person.left() == 0


def test_ctrl_c_at_the_prompt_forgets_the_line(sits_down, shop: Path) -> None:
    person = sits_down(shop)
    person.presses("SELECT 'never")
    person.presses("\x03")
    person.types("SELECT 'after' AS it;")
    person.sees("after")
    assert person.leaves() == 0


@pytest.mark.skipif(not EDITOR, reason="prompt_toolkit is not installed (extra: shell)")
def test_history_is_there_in_the_next_session(shop: Path, environment: dict[str, str]) -> None:
    person = Person(["-m", "msd_sql", str(shop)], environment)
    person.sees("msd>")
    person.types("SELECT 'remember me' AS it;")
    person.sees("│ remember me │")
    assert person.leaves() == 0
    person = Person(["-m", "msd_sql", str(shop)], environment)
    person.sees("msd>")
    person.presses("\x1b[A")
    person.sees("remember me")
    person.presses("\r")
    person.sees("│ remember me │")
    assert person.leaves() == 0


@pytest.mark.skipif(not EDITOR, reason="prompt_toolkit is not installed (extra: shell)")
def test_tab_completes_a_function(shop: Path, environment: dict[str, str]) -> None:
    person = Person(["-m", "msd_sql", str(shop)], environment)
    person.sees("msd>")
    person.presses("SELECT msd_rem\t")
    person.sees("aining(")  # the editor writes only what is new on the screen
    person.types("'purchases') AS eps;")
    person.sees("│    1.0 │")
    assert person.leaves() == 0


def test_without_the_editor_the_shell_says_how_to_get_it(shop: Path, environment: dict[str, str]) -> None:
    person = Person(["-c", PLAIN, str(shop)], environment)
    person.sees("pip install 'msd-sql[shell]'")
    assert person.leaves() == 0
