"""What a curator answers, one function a kind of question; each trusts nothing that it is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from msd_sql.actions.declare import declare
from msd_sql.actions.explain import explain
from msd_sql.actions.key_column import key_column
from msd_sql.actions.reach import reach, reach_interval
from msd_sql.actions.select import answer, notes_after, notes_before
from msd_sql.actions.show_ledger import ledger_rows, release_rows, remaining
from msd_sql.curator.limits import LimitError, Limits
from msd_sql.errors import InputError, PrivacyError, uncharged
from msd_sql.question.arguments import Arguments, Chunk
from msd_sql.question.options import request
from msd_sql.question.prepare import prepare
from msd_sql.remote.wire import GROUP, Asked, Told, checked_key_type, incoming
from msd_sql.runtime.call import Call
from msd_sql.surface.functions import FUNCTIONS

_OWNERS = ("protect", "items", "budget", "recount", "move", "unprotect", "publish", "unpublish", "drop_items")


def select(call: Call, asked: Asked, limits: Limits) -> Told:
    """Choose, for every group: the positions of the chosen candidates, and the receipt of the last group."""
    with uncharged():
        given = _arguments(call, asked, limits)
        questions = prepare(call, [group for group in given if not group.empty])
        rounds = sum(question.plan.rounds for question in questions)
        if rounds > limits.rounds:
            raise LimitError(f"This question takes {rounds:,} rounds; the limit is {limits.rounds:,}.")
    chosen = answer(call, questions)
    last = chosen[-1].selected if chosen else None
    each = iter(chosen)
    return Told({
        "positions": [[] if group.empty else next(each).positions for group in given],
        "keys": list(last.keys) if last else [],
        "diversity": last.diversity if last else None,
        "receipt": last.receipt.as_dict() if last else None,
        "entry": last.entry if last else None,
        "replayed": last.replayed if last else False,
        "notes": [*notes_before(questions), *notes_after(chosen)],
    })  # fmt: skip


def dry_run(call: Call, asked: Asked, limits: Limits) -> Told:
    """What every group would do and cost; without the statements that would run, which name private columns."""
    with uncharged():
        given = _arguments(call, asked, limits)
    told = [[_without_steps(line) for line in explain(call, group)] for group in given]
    return Told({"lines": [[line for line in lines if line is not None] for lines in told]})


def _without_steps(line: dict[str, str]) -> dict[str, str] | None:
    if line["property"].startswith("step "):
        return None
    return {**line, "value": line["value"].replace(" (the steps below)", "")}


def key(call: Call, asked: Asked, limits: Limits) -> Told:
    """The name of the key column of a table, as the owner declared it."""
    names = _texts(asked.given, "names")
    first, last = _text(asked.given, "first"), _text(asked.given, "last")
    return Told({"value": key_column(call, names, first, last)})


def estimate(call: Call, asked: Asked, limits: Limits) -> Told:
    """About how many users some items reach."""
    return Told({"value": reach(call, *_reached(asked, limits, "msd_reach"))})


def interval(call: Call, asked: Asked, limits: Limits) -> Told:
    """The same, and between what the true number lies."""
    return Told({"value": reach_interval(call, *_reached(asked, limits, "msd_reach_interval"))})


def _reached(asked: Asked, limits: Limits, function: str) -> tuple[list[str | None] | None, str, str]:
    items = asked.given.get("items")
    if items is not None:
        items = [None if one is None else str(one) for one in _list(asked.given, "items")]
        _within(len(items), limits.candidates, "items")
    kind = str(asked.given.get("type") or "")
    if items:
        checked_key_type(kind.removesuffix("[]"))
    return items, kind, _options(asked.given.get("options"), function)


def left(call: Call, asked: Asked, limits: Limits) -> Told:
    """The ε that is left: of the relation's budget, and for an analyst of its share."""
    return Told({"value": remaining(call, _text(asked.given, "relation"))})


def lines(call: Call, asked: Asked, limits: Limits) -> Told:
    """The ledger: all of it for an owner, the own lines for an analyst."""
    return Told({"value": ledger_rows(call)})


def releases(call: Call, asked: Asked, limits: Limits) -> Told:
    """The answers, as `lines` tells them."""
    return Told({"value": release_rows(call)})


def owners_act(call: Call, asked: Asked, limits: Limits) -> Told:
    """Protect, publish and their kin."""
    what = str(asked.given.get("what"))
    if what not in _OWNERS:
        raise InputError("There is no such act of an owner.")
    return Told({"value": declare(call, what, _options(asked.given.get("arguments"), f"msd_{what}"))})


QUESTIONS: Mapping[str, Callable[[Call, Asked, Limits], Told]] = {
    "select": select,
    "explain": dry_run,
    "key": key,
    "reach": estimate,
    "reach interval": interval,
    "remaining": left,
    "ledger": lines,
    "releases": releases,
    "declare": owners_act,
}
PRIVATE = frozenset(
    {"select", "reach", "reach interval", "explain"}
)  # what is paced, where answers come at fixed intervals
OWNERS = frozenset({"declare", "accounts", "account add", "account revoke", "account grant", "status"})


def _arguments(call: Call, asked: Asked, limits: Limits) -> list[Arguments]:
    """The groups as they were sent, checked: whatever is wrong with their shape is said before anything is read."""
    table = asked.groups
    if table is None or not table.schema.equals(GROUP):
        raise InputError("This question has no candidates in the form that this curator reads: use the same msd_sql.")
    _within(table.num_rows, limits.groups, "groups")
    _within(table.nbytes, limits.question_bytes, "bytes")
    try:
        table.validate(full=True)
    except pa.ArrowException:
        raise InputError("The candidates are not valid Arrow data.") from None
    chunk = Chunk(incoming(table, call.vectors))
    # The type that travels is that of the keys, and no longer of the rows that a key is a column of.
    chunk.options = [{**options, "key": None} for options in chunk.options]
    for wanted in map(request, chunk.options):
        _within(wanted.k, limits.k, "items of an answer (k)")
        if wanted.exact:  # outside of every budget: whoever has an owner's token has not the file
            raise PrivacyError("exact := true is answered at the file alone: give eps := a number such as 0.1.")
    found = [_checked(group) for group in chunk.read(call.vectors)]
    _within(sum(_size(group) for group in found), limits.candidates, "candidates")
    return found


def _checked(group: Arguments) -> Arguments:
    size = _size(group)
    if group.numbers is not None and len(group.keys):
        raise InputError("A group has its keys twice.")
    if size:
        checked_key_type(group.key_type)
    for name, column in group.columns.items():
        lengths = {
            "value": len(column.texts) if column.numbers is None else len(column.numbers),
            "record": len(column.texts),
            "list": len(column.sets.indptr) - 1 if column.sets is not None else 0,
            "vector": len(column.vectors) if column.vectors is not None else 0,
        }
        if not column.absent and size and lengths[column.shape] != size:
            raise InputError(f"{name} has {lengths[column.shape]:,} values for {size:,} candidates.")
    return group


def _size(group: Arguments) -> int:
    return len(group.keys) if group.numbers is None else len(group.numbers)


def _within(count: int, most: int, what: str) -> None:
    if count > most:
        raise LimitError(f"{count:,} {what} are more than this curator allows: {most:,}. Nothing was charged.")


def _options(text: Any, function: str) -> str:
    """The options of a call as JSON text, every one of them known and a text."""
    try:
        given = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError("The options of this call cannot be read.")
    known = {option.name for option in FUNCTIONS[function].options}
    return json.dumps({name: value for name, value in given.items() if name in known and _plain(value)})


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} must be a text.")
    return value


def _list(given: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = given.get(name)
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list.")
    return value


def _texts(given: Mapping[str, Any], name: str) -> list[str]:
    return [str(one) for one in _list(given, name)[:10_000]]
