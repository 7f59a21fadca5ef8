"""The one way from questions about private rows to answers: told before? → charge → draw → keep.

All questions of a statement go it together: they are charged whole, in one step and one line of the ledger, or refused
whole. An answer is charged, committed and durable before the engine reads a row for it. What fails after that stays
charged: whether a read of private rows fails can depend on them, and a failure that costs nothing could be asked for
again and again until it has told what it depends on (docs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from msd_sql.catalog.accounts.share_charge import Again
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.ledger import Charged
from msd_sql.catalog.records.answers import content_hash, find_answers, forget_others, save_answers
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.database.background import BackgroundRead
from msd_sql.database.host import HostError, Interrupted
from msd_sql.database.private_reads import private
from msd_sql.errors import EngineError, MsdError, uncharged
from msd_sql.runtime.call import INTERRUPTED, Call
from msd_sql.runtime.release_memory import Memory, Release, content_columns
from msd_sql.udfs.receipt import Receipt

Drawn = tuple[tuple[int, ...], float | None]  # picks and diversity


@dataclass(frozen=True)
class Terms:
    """On what terms private rows are asked about, checked and priced; the same for many groups of a statement."""

    kind: str  # select, reach or recount
    protected: Protected
    content: BackgroundRead[str]  # tells the rows
    answer: Answer
    receipt: Receipt
    what: str  # in words, for the ledger
    parameters: Mapping[str, Any]
    fresh: bool
    asserted_public: bool

    @property
    def exact(self) -> bool:
        """Is it to be answered without noise, and so outside of the budget?"""
        return self.receipt.exact

    @property
    def repeatable(self) -> bool:
        """Is it drawn from a seeded source, as in a test's own database, and so not private?"""
        return not (self.receipt.private or self.exact)


@dataclass(frozen=True)
class Asked:
    """A question about private rows; all of it public."""

    terms: Terms
    question: str  # a hash of everything but the rows that decides the answer


@dataclass(frozen=True)
class Told:
    """An answer, and whether it was told before."""

    release: Release
    repeated: bool


@dataclass(frozen=True)
class _Part:
    """The questions of a statement about one relation: what of them was told before, and what is new."""

    home: str
    asked: Sequence[Asked]
    told: Mapping[str, Release]
    new: Mapping[str, Asked]

    @property
    def protected(self) -> Protected:
        return self.asked[0].terms.protected

    def known(self, one: Asked) -> Release | None:
        return None if one.terms.fresh else self.told.get(one.question)


def release(call: Call, asked: Sequence[Asked], draw: Callable[[Sequence[Asked]], Sequence[Drawn]]) -> list[Told]:
    """Answer the questions of one statement, each by its place; a BudgetError, and nothing charged, if not all fit.

    `draw` draws those that are new, of one relation at a time. It is called once they have been charged.
    """
    by_relation: dict[str, list[int]] = {}
    by_home: dict[str, list[str]] = {}
    for place, one in enumerate(asked):
        by_relation.setdefault(one.terms.protected.name, []).append(place)
        by_home.setdefault(call.identity(one.terms.protected.home), []).append(one.question)
    memory = call.instance.caches.memory
    with ExitStack() as stack:
        for home in sorted(by_home):  # in one order: none waits for a waiting one
            stack.enter_context(memory.asking(home, by_home[home]))
        parts = [_part(call, memory, [asked[place] for place in places]) for places in by_relation.values()]
        if len(parts) > 1:  # budgets of several relations: none is charged if another one cannot pay
            call.ledger.check([(part.protected, _charged_answers(part)) for part in parts])
        found: dict[int, Told] = {}
        for part, places in zip(parts, by_relation.values(), strict=True):
            found.update(zip(places, _answered(call, memory, part, draw), strict=True))
    return [found[place] for place in range(len(asked))]


def _part(call: Call, memory: Memory, asked: list[Asked]) -> _Part:
    home = call.identity(asked[0].terms.protected.home)
    part = _Part(home, asked, _told(call, memory, home, asked), {})
    # The same question twice in a statement is one, unless each is to be fresh.
    return replace(part, new={_as_new(one, place): one for place, one in enumerate(asked) if part.known(one) is None})


def _charged_answers(part: _Part) -> list[Answer]:
    return [one.terms.answer for one in part.new.values() if not one.terms.exact]


def _answered(
    call: Call, memory: Memory, part: _Part, draw: Callable[[Sequence[Asked]], Sequence[Drawn]]
) -> list[Told]:
    again = [Again(known.answer, one.terms.answer) for one in part.asked if (known := part.known(one)) is not None]
    repeated = len(part.asked) - len(part.new)
    made = _drawn(call, part.home, list(part.new.values()), draw, repeated=repeated, again=again)
    if not part.new:
        _note(call, part.asked, part.told, again)
    for one, drawn in zip(part.new.values(), made, strict=True):
        memory.keep(part.home, one.question, one.terms.content(), drawn)
    fresh = dict(zip(part.new, made, strict=True))
    return [
        Told(known, True) if (known := part.known(one)) is not None else Told(fresh[_as_new(one, place)], False)
        for place, one in enumerate(part.asked)
    ]


def _as_new(one: Asked, place: int) -> str:
    return f"{one.question} {place}" if one.terms.fresh else one.question


def _told(call: Call, memory: Memory, home: str, asked: Sequence[Asked]) -> dict[str, Release]:
    """What was told before of these questions about the same rows, in this process or in another one."""
    found: dict[str, Release] = {}
    waiting: dict[str, Terms] = {}
    for one in asked:
        if one.terms.fresh or one.question in found:
            continue
        known = memory.told(home, one.question, one.terms.content)
        if known is not None:
            found[one.question] = known
        else:
            waiting[one.question] = one.terms
    protected = asked[0].terms.protected
    if waiting and _keeps(call, protected):
        kept = find_answers(call.host, protected.home, protected.stored_name, list(waiting))
        hashed: dict[int, str] = {}
        for question, answer in kept.items():
            if answer.content == _content(home, waiting[question], hashed):
                again = Release(answer.picks, answer.receipt, answer.line, answer.answer, answer.diversity)
                memory.keep(home, question, waiting[question].content(), again)
                found[question] = again
    return found


def _content(home: str, terms: Terms, hashed: dict[int, str]) -> str:
    """The hash that tells the rows in the file, worked out once for terms that many questions have."""
    if id(terms) not in hashed:
        hashed[id(terms)] = content_hash(home, content_columns(terms.protected), terms.content())
    return hashed[id(terms)]


def _drawn(
    call: Call,
    home: str,
    new: Sequence[Asked],
    draw: Callable[[Sequence[Asked]], Sequence[Drawn]],
    repeated: int,
    again: Sequence[Again],
) -> list[Release]:
    """Charge what is new, draw it and keep it."""
    if not new:
        return []
    call.check()
    protected = new[0].terms.protected
    with uncharged(), private(protected.name):
        for terms in _different(new):
            terms.content.check_snapshot()
    charged = _charged(call, new, repeated, again)
    with withholding_unexpected():
        call.check()
        made = [
            Release(picks, one.terms.receipt, line, answer, diversity)
            for one, (line, answer), (picks, diversity) in zip(new, charged, draw(new), strict=True)
        ]
        if _keeps(call, protected):
            _keep(call, home, new, made)
    return made


def _charged(call: Call, new: Sequence[Asked], repeated: int, again: Sequence[Again]) -> list[tuple[str, str]]:
    """The line and the id of every new answer; exact ones take nothing from the budget and have a line of their own."""
    found: dict[int, tuple[str, str]] = {}
    for exact in (False, True):
        places = [place for place, one in enumerate(new) if one.terms.exact is exact]
        if not places:
            continue
        some = [new[place] for place in places]
        answers, first = [one.terms.answer for one in some], some[0].terms
        entry = replace(_entry(call, some), kind="exact" if exact else first.kind, exact=exact, repeated=repeated)
        act: Callable[..., Charged] = call.ledger.note if exact else call.ledger.charge
        done = act(first.protected, entry, answers, again)
        found.update({place: (done.line, own) for place, own in zip(places, done.answers, strict=True)})
        repeated, again = 0, ()  # said once
    return [found[place] for place in range(len(new))]


def _note(call: Call, asked: Sequence[Asked], told: Mapping[str, Release], again: Sequence[Again]) -> None:
    """Write the line of a statement that was told nothing new."""
    entry = _entry(call, asked)
    lines = sorted({release.line for release in told.values()})
    parameters = {**entry.parameters, "of": lines[0] if len(lines) == 1 else lines}
    line = replace(entry, kind="replay", parameters=parameters, repeated=len(asked))
    call.ledger.note(asked[0].terms.protected, line, (), again)


def _entry(call: Call, asked: Sequence[Asked]) -> Entry:
    terms = _different(asked)
    parameters = {repr(one.parameters): one.parameters for one in terms}
    given = dict(terms[0].parameters) if len(parameters) == 1 else {"several": list(parameters.values())}
    repeatable = any(one.repeatable for one in terms)
    what = sorted({one.what for one in terms})[0] + (", …" if len({one.what for one in terms}) > 1 else "")
    what = what if len(asked) == 1 else f"{len(asked):,} groups: {what}"
    return Entry(
        terms[0].kind,
        statement=call.context.statement,
        parameters={**given, "not_private": True} if repeatable else given,
        what=f"{what}, NOT private (seeded randomness)" if repeatable else what,
        asserted_public=any(one.asserted_public for one in terms),
    )


def _different(asked: Sequence[Asked]) -> list[Terms]:
    """The terms of these questions, those of several once."""
    return list({id(one.terms): one.terms for one in asked}.values())


def _keeps(call: Call, protected: Protected) -> bool:
    """Do the rows lie in the very file that keeps the ledger? Only then are answers kept there, with their content."""
    if protected.relation is None or protected.relation.database != protected.home:
        return False
    stored = call.stored(protected.relation)
    return stored is not None and stored.file is not None


def _keep(call: Call, home: str, new: Sequence[Asked], made: Sequence[Release]) -> None:
    """Write what was just told to the file, for other processes. What cannot be written is told once only."""
    by_content: dict[str, dict[str, tuple[tuple[int, ...], float | None, str]]] = {}
    hashed: dict[int, str] = {}
    for one, drawn in zip(new, made, strict=True):
        content = _content(home, one.terms, hashed)
        by_content.setdefault(content, {})[one.question] = (drawn.picks, drawn.diversity, drawn.answer)
    protected = new[0].terms.protected
    memory = call.instance.caches.memory
    # Not one writer at a time, as for a charge: nothing is counted here, and other threads need not wait. Nor in one
    # transaction: each statement is whole by itself.
    for content, answers in by_content.items():
        others = not memory.knows_rows(home, protected.stored_name, content)
        for again in (False, True):  # most are new; where one is not, all are written again
            with suppress(MsdError, HostError):
                if others or again:
                    forget_others(call.lookups, protected.home, protected.stored_name, content)
                save_answers(call.lookups, protected.home, protected.stored_name, content, answers, again=again)
                break


@contextmanager
def withholding_unexpected() -> Iterator[None]:
    """After the charge private rows are at hand: an error that is not ours says its kind and nothing else."""
    try:
        yield
    except Interrupted:
        kind = ""
    except (MsdError, KeyboardInterrupt):
        raise
    except MemoryError:  # numpy's says how large an array it wanted
        kind = "there was not enough memory; engine := 'sql' needs less"
    except Exception as error:
        kind = type(error).__name__
    else:
        return
    if not kind:
        raise EngineError(INTERRUPTED)
    raise EngineError(
        f"The selection failed ({kind}); its message is withheld because it could quote private values. "
        "What was charged stays charged."
    )
