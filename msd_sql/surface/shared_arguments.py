"""Arguments that several SQL functions share: what a question asks, its options, the relation it is about."""

from __future__ import annotations

from msd_sql.surface.description import Argument, Kind
from msd_sql.udfs.distances import DISTANCES


def method_names() -> tuple[str, ...]:
    """The methods; they are loaded with the first question, and not to register a connection.

    >>> method_names()[:2]
    ('auto', 'greedy')
    """
    from msd_sql.udfs.methods import METHODS

    return ("auto", *METHODS)


def relevance_names() -> tuple[str, ...]:
    """What a declaration can be about: a score is given with a question, and not declared.

    >>> relevance_names()
    ('coverage', 'best_match')
    """
    from msd_sql.udfs.planning import RELEVANCES

    return tuple(name for name in RELEVANCES if name != "score")


DISTANCE_NAMES = tuple(DISTANCES)
ENGINES = ("auto", "memory", "sql", "spark")
QUESTION = (
    Argument("k", Kind.WHOLE, "How many items to choose, at least 1."),
    Argument(
        "eps",
        Kind.EPS,
        "The privacy loss ε that this answer may cost, above 0. NULL: no noise; refused on a protected relation "
        "unless exact := true.",
        nullable=True,
    ),
    Argument(
        "diversity",
        Kind.NUMBER,
        "λ in [0, 1]: 0 is relevance only, 1 is diversity only (reads nothing private).",
        least=0,
        most=1,
    ),
)
AMONG = Argument(
    "among",
    Kind.TEXT,
    "Part of the people: only rows of the protected relation count for which this SQL over its columns is true, such "
    "as 'app_version >= 3' (docs/segments.md).",
    "NULL",
)
OPTIONS = (
    Argument("method", Kind.TEXT, "The algorithm; auto takes greedy, nosg or local_search.", "NULL", method_names),
    Argument(
        "gamma",
        Kind.NUMBER,
        "How much of the guarantee may be given up, between 0 and 1: for fewer swaps (local_search, by default 0.4) or "
        "smaller samples (by default 0.1).",
        "NULL",
        least=0,
        most=1,
        inside=True,
    ),
    Argument(
        "delta",
        Kind.DELTA,
        "The δ of this answer; by default half of the relation's δ, in proportion to eps of its budget.",
        "NULL",
    ),
    Argument(
        "features",
        Kind.FEATURES,
        "What makes two items differ: a list (jaccard), a vector (angular), a record or a value (hamming), or a record "
        "with lists in it (mixed), such as {'tags': categories, 'price': price}. By default what msd_items declared.",
        "NULL",
    ),
    Argument(
        "distance",
        Kind.TEXT,
        "The distance over the features. 'cosine' is angular: the angle of two vectors, which orders pairs as their "
        "cosine does and is a metric.",
        "NULL",
        DISTANCE_NAMES,
    ),
    Argument("scale", Kind.NUMBERS, "For l1 and l2: the public range of the features (of each, if a list).", "NULL"),
    Argument(
        "weights",
        Kind.NUMBERS,
        "For mixed: how much each feature counts, a list in their order, such as [2, 1].",
        "NULL",
    ),
    Argument(
        "quota",
        Kind.CATEGORY,
        "A column of which each value may be chosen quota_cap times; a record of columns for nested quotas; a list "
        "column for one item per category.",
        "NULL",
    ),
    Argument(
        "quota_cap", Kind.COUNTS, "The most items of a value, by default ceil(k / number of values).", "NULL", least=0
    ),
    Argument(
        "quota_min",
        Kind.COUNTS,
        "The least items of a value; alone, it leaves the values without a cap.",
        "NULL",
        least=0,
    ),
    Argument("include", Kind.KEYS, "Pinned: in the answer first, in this order; k counts them.", "NULL"),
    Argument("exclude", Kind.KEYS, "Not to be chosen, as if a WHERE had left them out.", "NULL"),
    Argument(
        "apart",
        Kind.NUMBER,
        "No two chosen items nearer than this; there may be fewer than k, and no method keeps its guarantee.",
        "NULL",
        least=0,
        most=1,
    ),
    Argument("score", Kind.SCORE, "A public relevance score: then nothing private is read.", "NULL"),
    Argument(
        "cap", Kind.WHOLE, "How many chosen items of one user count; by default what msd_protect declared.", "NULL"
    ),
    AMONG,
    Argument(
        "users",
        Kind.WHOLE,
        "The public number of users that relevance is a share of; by default the relation's.",
        "NULL",
        most=2**53,
    ),
    Argument("reach", Kind.TEXT, "The protected relation, where msd_items does not say which.", "NULL"),
    Argument("fresh", Kind.FLAG, "Ask (and pay) again instead of repeating the recorded answer.", "false"),
    Argument("exact", Kind.FLAG, "With eps NULL: an exact answer, recorded as ε = infinity.", "false"),
    Argument(
        "public",
        Kind.FLAG,
        "Assert that the candidates do not depend on protected data, where the guard cannot see it; recorded.",
        "false",
    ),
    Argument("engine", Kind.TEXT, "Where marginals are computed; auto takes memory if it fits.", "NULL", ENGINES),
)
RELATION = Argument("relation", Kind.TEXT, "The name of a table or view.")
TABLE = Argument("tbl", Kind.TABLE, "A table, view or CTE, or its name as a string (not a subquery).")
BY = Argument(
    "by",
    Kind.GROUP,
    "A column: one selection for each of its values, all charged in one step; rows come group by group.",
    "NULL",
)
GROUPS = Argument(
    "groups", Kind.WHOLE, "Price a statement of so many groups, such as a GROUP BY.", "NULL", most=1_000_000_000
)
HEAD = Argument(
    "head",
    Kind.NUMBER,
    "The largest share of the users that an item is expected to have, as you know it (public): say what the answer is "
    "worth then. By default what msd_protect declared.",
    "NULL",
    least=0,
    most=1,
    above=True,
)
KEY = Argument("key", Kind.TEXT, "The name of the key column; by default what msd_items declared.", "NULL")
REPLACE = Argument(
    "replace", Kind.FLAG, "Replace a different declaration; recorded, and what was spent stays.", "false"
)
REACH = (
    Argument("items", Kind.ITEM_LIST, "The items."),
    Argument("eps", Kind.EPS, "The ε of the estimate; its noise is about 1/ε users.", nullable=True),
    Argument("relation", Kind.TEXT, "The protected relation, where there are several.", "NULL"),
    AMONG,
    Argument("fresh", Kind.FLAG, "Ask (and pay) again instead of repeating the recorded answer.", "false"),
    Argument("public", Kind.FLAG, "Assert that the items do not depend on protected data; recorded.", "false"),
)
CONFIDENCE = Argument(
    "confidence",
    Kind.NUMBER,
    "How sure the interval is to hold the true number.",
    "0.95",
    least=0,
    most=1,
    inside=True,
)
