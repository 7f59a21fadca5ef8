"""What Flight SQL asks about a server: its name and version, and what its SQL can do.

Every fact that Flight SQL knows is told: a JDBC driver looks each up when a tool asks for it, and fails where one is
missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from msd_sql import __version__

_VALUE = pa.dense_union([
    pa.field("string_value", pa.string()),
    pa.field("bool_value", pa.bool_()),
    pa.field("bigint_value", pa.int64()),
    pa.field("int32_bitmask", pa.int32()),
    pa.field("string_list", pa.list_(pa.string())),
    pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
])  # fmt: skip
SCHEMA = pa.schema([pa.field("info_name", pa.uint32(), False), pa.field("value", _VALUE, False)])
ESCAPE = "\\"  # before a _ or % of a pattern that stands for itself

# By the numbers of Flight SQL's SqlInfo; a set of choices has bit n for choice n.
_TEXTS: Mapping[int, str] = {
    0: "msd_sql curator",
    1: __version__,
    2: pa.__version__,
    504: '"',  # around names
    513: ESCAPE,
    514: "",  # in names, beside letters, digits and _
    529: "schema",
    530: "function",
    531: "catalog",
}
_TRUE = (
    3,  # it is read only
    4,  # it runs SQL
    506,  # every table that is listed can be read
    *(515, 516, 518, 520, 521, 523, 532, 539),  # aliases, NULLs, ORDER BY, LIKE … ESCAPE, catalog first, correlation
)
_FALSE = (
    *(5, 9),  # no Substrait, no cancel by a call: a client that hangs up stops its statement
    *(500, 501, 502, 519, 524, 527, 536, 537, 556, 563, 565, 566, 572, 573, 574, 575, 576),  # nothing that writes
)
_CHOICES: Mapping[int, int] = {
    8: 0,  # no transactions
    100: 0,  # prepared statements do not end by themselves
    101: 0,
    522: 0b11,  # GROUP BY what is not selected, and more than that
    525: 0b11,  # minimal and core grammar
    526: 0b1,  # SQL-92, entry level
    528: 0b110,  # all outer joins
    **dict.fromkeys((533, 534, 535), 0),  # no procedures, definitions, or updates at a cursor
    538: 0b1111,  # subqueries everywhere
    540: 0b11,  # UNION, UNION ALL
    564: 0b1,  # no isolation levels
    567: 0b10,  # results are read forward,
    569: 0b10,  # and only read
    **dict.fromkeys((568, 570, 571), 0),
}
_NUMBERS: Mapping[int, int] = {
    503: 1,  # names are the same in capitals and in small letters,
    505: 1,  # in quotes as well
    507: 3,  # NULLs come last
    **dict.fromkeys(range(541, 562), 0),  # no limits, or unknown
    562: 0,
}
_KEYWORDS = 508
_STATEMENT = 557  # characters of a statement
_NO_LISTS = range(509, 513)  # functions of JDBC's escapes, which are not read
_NO_CONVERT = 517


def abilities(wanted: Sequence[int], keywords: Sequence[str], statement: int) -> pa.Table:
    """The facts of these numbers, or all; numbers that are not known are left out.

    `statement`: the characters that a statement may have.

    >>> abilities([0, 563, 9999], [], 100_000).to_pylist()
    [{'info_name': 0, 'value': 'msd_sql curator'}, {'info_name': 563, 'value': False}]
    """
    known = _facts(keywords, statement)
    rows = [(one, *known[one]) for one in wanted or sorted(known) if one in known]
    children: list[list[Any]] = [[] for _ in range(_VALUE.num_fields)]
    offsets = []
    for _, kind, value in rows:
        offsets.append(len(children[kind]))
        children[kind].append(value)
    values = pa.UnionArray.from_dense(
        pa.array([kind for _, kind, _ in rows], pa.int8()),
        pa.array(offsets, pa.int32()),
        [pa.array(child, _VALUE.field(place).type) for place, child in enumerate(children)],
        [_VALUE.field(place).name for place in range(_VALUE.num_fields)],
    )
    return pa.Table.from_arrays([pa.array([one for one, _, _ in rows], pa.uint32()), values], schema=SCHEMA)


def _facts(keywords: Sequence[str], statement: int) -> dict[int, tuple[int, Any]]:
    """Every fact, with the place of its type in the union."""
    return {
        **{one: (0, told) for one, told in _TEXTS.items()},
        **dict.fromkeys(_TRUE, (1, True)),
        **dict.fromkeys(_FALSE, (1, False)),
        **{one: (2, told) for one, told in _NUMBERS.items()},
        _STATEMENT: (2, statement),
        **{one: (3, told) for one, told in _CHOICES.items()},
        **dict.fromkeys(_NO_LISTS, (4, [])),
        _KEYWORDS: (4, list(keywords)),
        _NO_CONVERT: (5, []),
    }
