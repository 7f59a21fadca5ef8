"""The release memory: the same question gets the same answer, free, for as long as the process lives (docs/privacy.md).

DuckDB runs a lazy relation again every time it is shown; a recorded release can be told again without a new charge.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.similarity import similarity_columns
from msd_sql.database.host import Host
from msd_sql.database.private_reads import private_rows
from msd_sql.database.sql_text import quote
from msd_sql.runtime.vectors import Vectors
from msd_sql.udfs.receipt import Receipt


@dataclass(frozen=True)
class Release:
    """What was released: public by definition."""

    picks: tuple[int, ...]  # candidates in pick order, as places in key order; for a count, the count alone
    receipt: Receipt
    line: str  # the id of its line in the ledger
    answer: str  # its own id there
    diversity: float | None = None


class Memory:
    """The releases of this process, the least recently told forgotten first; safe between threads.

    >>> memory = Memory()
    >>> with memory.asking("shop", ["question"]):
    ...     memory.told("shop", "question", lambda: "rows") is None
    True
    """

    def __init__(self, capacity: int = 10_000) -> None:
        self._capacity = capacity
        self._releases: OrderedDict[tuple[str, str], tuple[str, Release]] = OrderedDict()  # each with its content
        self._asking: dict[tuple[str, str], tuple[threading.Lock, list[int]]] = {}
        self._rows: dict[tuple[str, str], str] = {}  # the content of each relation that was last kept
        self._lock = threading.Lock()

    @contextmanager
    def asking(self, identity: str, questions: Iterable[str]) -> Iterator[None]:
        """Ask these questions and let others wait who ask one of them: they get the release that is kept here."""
        keys = sorted({(identity, question) for question in questions})  # in one order: none waits for a waiting one
        with self._lock:
            turns = [self._asking.setdefault(key, (threading.Lock(), [0])) for key in keys]
            for _, waiting in turns:
                waiting[0] += 1
        taken = 0
        try:
            for lock, _ in turns:
                lock.acquire()
                taken += 1
            yield
        finally:
            for lock, _ in turns[:taken]:
                lock.release()
            with self._lock:
                for key, (_, waiting) in zip(keys, turns, strict=True):
                    waiting[0] -= 1
                    if not waiting[0]:
                        self._asking.pop(key, None)

    def told(self, identity: str, question: str, content: Callable[[], str]) -> Release | None:
        """The release that answers the question, if it is one of this content; None if it has to be asked.

        `content` tells what the answer is computed from; it is not asked for where nothing is kept.
        """
        key = (identity, question)
        with self._lock:
            found = self._releases.get(key)
        if found is None or found[0] != content():
            return None
        with self._lock:
            if key in self._releases:
                self._releases.move_to_end(key)
        return found[1]

    def keep(self, identity: str, question: str, content: str, release: Release) -> None:
        """Tell this release from now on."""
        with self._lock:
            self._releases[identity, question] = (content, release)
            self._releases.move_to_end((identity, question))
            while len(self._releases) > self._capacity:
                self._releases.popitem(last=False)

    def knows_rows(self, identity: str, relation: str, content: str) -> bool:
        """Was the last answer that was kept of a relation about these rows? From now on it was.

        >>> memory = Memory()
        >>> memory.knows_rows("shop", "main.purchases", "rows"), memory.knows_rows("shop", "main.purchases", "rows")
        (False, True)
        """
        with self._lock:
            before = self._rows.get((identity, relation))
            self._rows[identity, relation] = content
        return before == content

    def forget(self, identity: str | None = None) -> None:
        """Forget the releases of one database, or all of them."""
        with self._lock:
            for key in [key for key in self._releases if identity is None or key[0] == identity]:
                del self._releases[key]

    def __len__(self) -> int:
        return len(self._releases)


_SCALARS = {str, int, float, bool, type(None)}
_FEW = 1 << 16  # bytes of facts that are worth keeping beside what they are facts of


class Encoded(NamedTuple):
    """Facts as they enter a fingerprint: what many questions have in common, or will be asked about again."""

    facts: int
    text: bytes

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return len(self.text)


def encoded(facts: Sequence[Any]) -> list[Any]:
    """The same facts for a fingerprint, as one piece where they are small.

    >>> fingerprint(facts=encoded(["jaccard", 2])) == fingerprint(facts=["jaccard", 2])
    True
    """
    if sum(fact.nbytes for fact in facts if isinstance(fact, np.ndarray)) > _FEW:
        return list(facts)
    pieces: list[Any] = []
    for fact in facts:
        _feed(pieces.append, fact)
    return [Encoded(len(facts), b"".join(pieces))]


def fingerprint(**facts: Any) -> str:
    """A question as a hash of everything that decides its answer; values of different types never look alike.

    >>> fingerprint(k=6) == fingerprint(k=6), fingerprint(k=6) == fingerprint(k="6")
    (True, False)
    """
    digest = hashlib.sha256()
    _feed(digest.update, facts)
    return digest.hexdigest()


class Fingerprints:
    """The fingerprints of questions that have all facts in common but for `own`, which are no scalars.

    >>> told = Fingerprints(["keys"], k=6)
    >>> told.of(["a", "b"]) == fingerprint(k=6, keys=["a", "b"])
    True
    """

    def __init__(self, own: Sequence[str], **common: Any) -> None:
        names = sorted([*own, *common])
        self._places = [own.index(name) for name in names if name in own]
        self._between: list[bytes] = []  # what is alike before each of the own facts, and after the last
        pieces: list[bytes] = [b"map %d:" % len(names)]
        for name in names:
            _feed(pieces.append, name)
            if name in common:
                _feed(pieces.append, common[name])
            else:
                self._between.append(b"".join(pieces))
                pieces = []
        self._between.append(b"".join(pieces))

    def of(self, *own: Any) -> str:
        """The fingerprint of the question with these facts."""
        digest = hashlib.sha256()
        for before, place in zip(self._between, self._places, strict=False):
            digest.update(before)
            _feed(digest.update, own[place])
        digest.update(self._between[-1])
        return digest.hexdigest()


def content_columns(protected: Protected) -> list[str]:
    """The columns of the private rows that an answer depends on.

    >>> content_columns(purchases)
    ['user_id', 'item_id']
    """
    columns = [column for column in (protected.unit, protected.item) if column is not None]
    if protected.relevance == "best_match" and protected.similarity is not None:
        columns += similarity_columns(protected.similarity)
    if protected.audience is not None:
        columns += protected.audience.columns
    return list(dict.fromkeys(columns))


def content_fingerprint(host: Host, protected: Protected) -> str:
    """A fingerprint of the private rows that an answer depends on, in no particular order; it never leaves the process.

    >>> content_fingerprint(host, purchases)
    '2000 ...'
    """
    names = ", ".join(quote(column) for column in content_columns(protected)) or "0"
    summed = f"sum(hash({names}))"  # of 64 bits in 128: it never wraps, so that rows that come twice count twice
    if protected.in_spark:  # Spark's hash() has 32 bits only, and its sum of 64-bit integers no room to grow
        summed = f"sum(xxhash64({names})::DECIMAL(38, 0))"
    sums = f"count(*), coalesce({summed}, 0)::VARCHAR"
    counted = private_rows(host, f"SELECT {sums} FROM {protected.sql}", protected.name)
    return " ".join(str(part) for part in counted[0])


def _feed(take: Callable[[Any], object], value: Any) -> None:
    """Hand on what tells a value from all others, piece by piece."""
    if isinstance(value, Vectors):
        value = value.plain  # in the order of their items, whatever order they lie in
    if type(value) is Encoded:
        take(value.text)
    elif type(value) in _SCALARS:
        text = repr(value).encode()
        take(b"%s %d:%s" % (type(value).__name__.encode(), len(text), text))
    elif isinstance(value, np.ma.MaskedArray):  # what lies under the mask is anything
        _feed(take, [np.ma.getmaskarray(value), value.filled(0) if value.dtype != object else value.filled(None)])
    elif isinstance(value, np.ndarray) and value.dtype != object:
        take(f"array {value.dtype.str} {value.shape}:".encode())
        take(np.ascontiguousarray(value).tobytes())
    elif type(value) in (list, tuple) and set(map(type, value)) == {str}:  # thousands of keys, in one go
        take(f"texts {len(value)}:".encode())
        take(np.fromiter(map(len, value), np.int64, len(value)).tobytes())
        take("".join(value).encode("utf-8", "surrogatepass"))
    elif isinstance(value, Mapping) and set(map(type, value.values())) <= _SCALARS:  # in one go: a plan has twenty
        take(f"facts {sorted(value.items(), key=str)!r}:".encode())
    elif isinstance(value, Mapping):
        take(f"map {len(value)}:".encode())
        for name in sorted(value, key=str):
            _feed(take, name)
            _feed(take, value[name])
    elif isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
        count = sum(part.facts if type(part) is Encoded else 1 for part in value)
        take(f"list {count}:".encode())
        for part in value:
            _feed(take, part)
    else:
        text = value if isinstance(value, bytes) else repr(value).encode()
        take(f"{type(value).__name__} {len(text)}:".encode())
        take(text)
