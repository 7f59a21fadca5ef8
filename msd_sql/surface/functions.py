"""The SQL functions, described once.

Made from it: the macros (`macros.py`), the checks of what they are given (`question/options.py`), `msd functions`,
completion in the shell and docs/sql.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msd_sql.errors import InputError, suggest
from msd_sql.surface.description import COLUMNS, Argument, Function, Kind
from msd_sql.udfs import distances, methods, planning

METHODS = ("auto", *methods.METHODS)
DISTANCES = tuple(distances.DISTANCES)
RELEVANCES = tuple(name for name in planning.RELEVANCES if name != "score")  # a score is given, and not declared
ENGINES = ("auto", "memory", "sql", "spark")


_QUESTION = (
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
_OPTIONS = (
    Argument("method", Kind.TEXT, "The algorithm; auto takes greedy, nosg or local_search.", "NULL", METHODS),
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
        "The δ of this answer; by default the relation's δ in proportion to eps of its budget.",
        "NULL",
    ),
    Argument(
        "features",
        Kind.FEATURES,
        "What makes two items differ: a list (jaccard), a vector (angular), a record or a value (hamming). By default "
        "what msd_items declared.",
        "NULL",
    ),
    Argument("distance", Kind.TEXT, "The distance over the features.", "NULL", DISTANCES),
    Argument("scale", Kind.NUMBERS, "For l1 and l2: the public range of the features (of each, if a list).", "NULL"),
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
    Argument("reach", Kind.TEXT, "The protected relation, where msd_items does not say which.", "NULL"),
    Argument("fresh", Kind.FLAG, "Ask (and pay) again instead of repeating this session's recorded answer.", "false"),
    Argument("exact", Kind.FLAG, "With eps NULL: an exact answer, recorded as ε = infinity.", "false"),
    Argument(
        "public",
        Kind.FLAG,
        "Assert that the candidates do not depend on protected data, where the guard cannot see it; recorded.",
        "false",
    ),
    Argument("engine", Kind.TEXT, "Where marginals are computed; auto takes memory if it fits.", "NULL", ENGINES),
)
_RELATION = Argument("relation", Kind.TEXT, "The name of a table or view.")
_TABLE = Argument("tbl", Kind.TABLE, "A table, view or CTE, or its name as a string (not a subquery).")
_KEY = Argument("key", Kind.TEXT, "The name of the key column; by default what msd_items declared.", "NULL")
_REPLACE = Argument(
    "replace", Kind.FLAG, "Replace a different declaration; recorded, and what was spent stays.", "false"
)

_ALL = (
    Function(
        "msd_protect",
        "scalar",
        "owner",
        "VARCHAR",
        "Protect a relation: from now on selections that use it are charged to its budget.",
        "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9);",
        (
            _RELATION,
            Argument("unit", Kind.TEXT, "The column that names whom to protect; NULL: every row for itself.", "NULL"),
            Argument("item", Kind.TEXT, "The column that names the item.", "NULL"),
            Argument("budget", Kind.AMOUNT, "The total ε that may ever be spent.", "NULL"),
            Argument("delta", Kind.AMOUNT, "The total δ; m^-1.5, cut to three digits, by default.", "NULL"),
            Argument(
                "users", Kind.WHOLE, "m, the public number of units; counted once by default.", "NULL", most=2**53
            ),
            Argument(
                "cap", Kind.WHOLE, "How many chosen items of one user count; 1 by default.", "NULL", most=2**31 - 1
            ),
            Argument("relevance", Kind.TEXT, "How a user values a selection; coverage by default.", "NULL", RELEVANCES),
            Argument("similarity", Kind.TEXT, "For best_match: SQL over r (private row) and v (item row).", "NULL"),
            _REPLACE,
        ),
        records=True,
    ),
    Function(
        "msd_items",
        "scalar",
        "owner",
        "VARCHAR",
        "Declare the public items: their key, what makes them differ, and which protected relation they reach.",
        "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases');",
        (
            _RELATION,
            Argument("key", Kind.TEXT, "The column that names an item.", "NULL"),
            Argument("features", Kind.NAMES, "The column (or columns) that make items differ.", "NULL"),
            Argument("distance", Kind.TEXT, "The distance over them.", "NULL", DISTANCES),
            Argument("quota", Kind.NAMES, "The column of the default quota.", "NULL"),
            Argument("quota_cap", Kind.WHOLES, "Its cap.", "NULL", least=0),
            Argument("reach", Kind.TEXT, "The protected relation whose users the items reach.", "NULL"),
            _REPLACE,
        ),
        records=True,
    ),
    Function(
        "msd_select",
        "aggregate",
        "analyst",
        "a list of the items' own type, in the order of picking",
        "Choose k items that many users have and that differ from each other. One selection per group.",
        "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE category = 'Health Care';",
        (Argument("items", Kind.ITEMS, "The key of the candidates."), *_QUESTION, *_OPTIONS),
        records=True,
    ),
    Function(
        "msd_topk",
        "table",
        "analyst",
        "the chosen rows with every column, and msd_rank from 1",
        "The rows of a table, view or CTE that msd_select would choose.",
        "FROM msd_topk(products, 6, 0.1, 0.5);",
        (_TABLE, *_QUESTION, _KEY, *_OPTIONS),
        records=True,
    ),
    Function(
        "msd_explain",
        "table",
        "analyst",
        "rows of (property, value)",
        "What msd_topk would do and cost: method, rounds, bound, noise, budget after. Reads nothing private, costs "
        "nothing.",
        "FROM msd_explain(products, 6, 0.1, 0.5);",
        (_TABLE, *_QUESTION, _KEY, *_OPTIONS),
    ),
    Function(
        "msd_reach",
        "scalar",
        "analyst",
        "BIGINT",
        "A private estimate of how many users have any of these items: a release of its own, with its own ε.",
        "SELECT msd_reach([12, 40, 7], 0.05);",
        (
            Argument("items", Kind.ITEM_LIST, "The items."),
            Argument("eps", Kind.EPS, "The ε of the estimate; its noise is about 1/ε users.", nullable=True),
            Argument("relation", Kind.TEXT, "The protected relation, where there are several.", "NULL"),
            Argument("fresh", Kind.FLAG, "Ask (and pay) again instead of repeating the recorded answer.", "false"),
            Argument("public", Kind.FLAG, "Assert that the items do not depend on protected data; recorded.", "false"),
        ),
        records=True,
    ),
    Function(
        "msd_ledger",
        "table",
        "everybody",
        "one row for every declaration, release and repetition, oldest first",
        "The ledger: who asked what of which relation, and what it cost. Public facts only; times are UTC.",
        "SELECT time, relation, kind, eps, charged_eps FROM msd_ledger();",
    ),
    Function(
        "msd_remaining",
        "scalar",
        "everybody",
        "DOUBLE",
        "The ε that is left of a relation's budget.",
        "SELECT msd_remaining('purchases');",
        (_RELATION,),
    ),
    Function(
        "msd_budget",
        "scalar",
        "owner",
        "VARCHAR",
        "Change the budget of a protected relation. What was spent stays spent; the change is recorded.",
        "SELECT msd_budget('purchases', 2.0);",
        (
            _RELATION,
            Argument("budget", Kind.AMOUNT, "The new total ε."),
            Argument("delta", Kind.AMOUNT, "The new total δ; unchanged by default.", "NULL"),
        ),
        records=True,
    ),
    Function(
        "msd_unprotect",
        "scalar",
        "owner",
        "VARCHAR",
        "Give up the protection of a relation, on the record. Protecting it again continues with what was spent.",
        "SELECT msd_unprotect('purchases');",
        (_RELATION,),
        records=True,
    ),
    Function(
        "msd_drop_items",
        "scalar",
        "owner",
        "VARCHAR",
        "Forget what was declared of an items relation, on the record.",
        "SELECT msd_drop_items('products');",
        (_RELATION,),
        records=True,
    ),
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType({function.name: function for function in _ALL})
RECORDING = tuple(function.name for function in _ALL if function.records)
# The functions that choose items, and every option and column that any of them takes: what travels is the same for all.
SELECTIONS = tuple(function for function in _ALL if function.name in ("msd_select", "msd_topk", "msd_explain"))
_TAKEN = {argument.name: argument for function in SELECTIONS for argument in function.arguments}
SELECTION_OPTIONS = tuple(argument for argument in _TAKEN.values() if argument.is_option)
SELECTION_COLUMNS = tuple(argument for argument in _TAKEN.values() if argument.kind in COLUMNS)


def function_named(name: str) -> Function:
    """Find the function of that name, or raise an error that suggests the nearest one.

    >>> function_named("msd_select").shape
    'aggregate'
    """
    found = FUNCTIONS.get(name.lower())
    if found is None:
        raise InputError(suggest("function", name, FUNCTIONS))
    return found
