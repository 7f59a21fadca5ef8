"""The SQL functions, described once.

Made from it: the macros (`macros.py`), the checks of what they are given (`question/options.py`), `msd functions`,
completion in the shell and docs/sql.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msd_sql.errors import InputError, suggest
from msd_sql.surface.description import COLUMNS, Argument, Function, Kind
from msd_sql.surface.shared_arguments import (
    BY,
    CONFIDENCE,
    DISTANCE_NAMES,
    GROUPS,
    HEAD,
    KEY,
    OPTIONS,
    QUESTION,
    REACH,
    RELATION,
    REPLACE,
    TABLE,
    relevance_names,
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
            RELATION,
            Argument("unit", Kind.TEXT, "The column that names whom to protect; NULL: every row for itself.", "NULL"),
            Argument("item", Kind.TEXT, "The column that names the item.", "NULL"),
            Argument("budget", Kind.AMOUNT, "The total ε that all answers together may come to.", "NULL"),
            Argument("delta", Kind.AMOUNT, "The total δ; m^-1.5, cut to three digits, by default.", "NULL"),
            Argument(
                "users", Kind.WHOLE, "m, the public number of units; counted once by default.", "NULL", most=2**53
            ),
            Argument(
                "cap", Kind.WHOLE, "How many chosen items of one user count; 1 by default.", "NULL", most=2**31 - 1
            ),
            Argument(
                "relevance", Kind.TEXT, "How a user values a selection; coverage by default.", "NULL", relevance_names
            ),
            Argument("similarity", Kind.TEXT, "For best_match: SQL over r (private row) and v (item row).", "NULL"),
            Argument(
                "shares",
                Kind.TEXT,
                "Instead of budget: a protected relation about the same people, whose budget this one draws on.",
                "NULL",
            ),
            Argument(
                "head",
                Kind.NUMBER,
                "The largest share of the users that an item is expected to have, as far as it is public: msd_explain, "
                "the shell and msd forecast then say where an answer is mostly noise.",
                "NULL",
                least=0,
                most=1,
                above=True,
            ),
            REPLACE,
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
            RELATION,
            Argument("key", Kind.TEXT, "The column that names an item.", "NULL"),
            Argument("features", Kind.NAMES, "The column (or columns) that make items differ.", "NULL"),
            Argument("distance", Kind.TEXT, "The distance over them.", "NULL", DISTANCE_NAMES),
            Argument("quota", Kind.NAMES, "The column of the default quota.", "NULL"),
            Argument("quota_cap", Kind.WHOLES, "Its cap.", "NULL", least=0),
            Argument("reach", Kind.TEXT, "The protected relation whose users the items reach.", "NULL"),
            REPLACE,
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
        (Argument("items", Kind.ITEMS, "The key of the candidates."), *QUESTION, *OPTIONS),
        records=True,
    ),
    Function(
        "msd_topk",
        "table",
        "analyst",
        "the chosen rows with every column, and msd_rank from 1",
        "The rows of a table, view or CTE that msd_select would choose.",
        "FROM msd_topk(products, 6, 0.1, 0.5);",
        (TABLE, *QUESTION, KEY, BY, *OPTIONS),
        records=True,
    ),
    Function(
        "msd_explain",
        "table",
        "analyst",
        "rows of (property, value)",
        "What msd_topk would do and cost: method, rounds, bound, noise, the lead that an item "
        "needs to be chosen for sure, budget after, how many more such answers fit. "
        "Reads nothing private, costs nothing.",
        "FROM msd_explain(products, 6, 0.1, 0.5);",
        (TABLE, *QUESTION, KEY, GROUPS, HEAD, *OPTIONS),
    ),
    Function(
        "msd_reach",
        "scalar",
        "analyst",
        "BIGINT",
        "A private estimate of how many users have any of these items: a release of its own, with its own ε.",
        "SELECT msd_reach([12, 40, 7], 0.05);",
        REACH,
        records=True,
    ),
    Function(
        "msd_reach_interval",
        "scalar",
        "analyst",
        "STRUCT(low BIGINT, estimate BIGINT, high BIGINT)",
        "The estimate of msd_reach, and between what the true number lies. The same release: after msd_reach it costs "
        "nothing, and the other way round.",
        "SELECT msd_reach_interval([12, 40, 7], 0.05, 0.95);",
        (*REACH[:2], CONFIDENCE, *REACH[2:]),
        records=True,
    ),
    Function(
        "msd_ledger",
        "table",
        "everybody",
        "one row for every statement that declared, asked or repeated something, oldest first",
        "The ledger: who asked what of which relation, and what it cost. eps and delta are what the answers are worth, "
        "composed_eps is what all answers so far come to. Public facts only; times are UTC.",
        "SELECT time, who, relation, what, releases, eps, delta, composed_eps FROM msd_ledger();",
    ),
    Function(
        "msd_releases",
        "table",
        "everybody",
        "one row for every answer, oldest first",
        "The answers behind the lines of the ledger, each with the receipt that proves what it cost.",
        "SELECT time, relation, n, k, method, bound, eps, delta FROM msd_releases();",
    ),
    Function(
        "msd_remaining",
        "scalar",
        "everybody",
        "DOUBLE",
        "The ε that is left of a relation's budget: what all answers so far come to (composed_eps), taken from it.",
        "SELECT msd_remaining('purchases');",
        (RELATION,),
    ),
    Function(
        "msd_budget",
        "scalar",
        "owner",
        "VARCHAR",
        "Change the budget of a protected relation. What was spent stays spent; the change is recorded.",
        "SELECT msd_budget('purchases', 2.0);",
        (
            RELATION,
            Argument("budget", Kind.AMOUNT, "The new total ε."),
            Argument("delta", Kind.AMOUNT, "The new total δ; by default it grows with the budget.", "NULL"),
        ),
        records=True,
    ),
    Function(
        "msd_recount",
        "scalar",
        "owner",
        "VARCHAR",
        "Renew m, the public number of users of a protected relation, by a private count, which is charged "
        "like any answer; δ stays what it is.",
        "SELECT msd_recount('purchases', 0.01);",
        (RELATION, Argument("eps", Kind.EPS, "The ε of the count: about 1/ε users of noise.")),
        records=True,
    ),
    Function(
        "msd_move",
        "scalar",
        "owner",
        "VARCHAR",
        "Say that a protected relation was renamed, or its database file moved: budget and ledger go on there.",
        "ALTER TABLE purchases RENAME TO orders; SELECT msd_move('purchases', 'orders');",
        (
            Argument("relation", Kind.TEXT, "What it was: a protected relation, or the path of a database file."),
            Argument("now", Kind.TEXT, "What it is now: a relation, or the path of an attached database file."),
        ),
        records=True,
    ),
    Function(
        "msd_unprotect",
        "scalar",
        "owner",
        "VARCHAR",
        "Give up the protection of a relation, on the record. Protecting it again continues with what was spent.",
        "SELECT msd_unprotect('orders');",
        (RELATION,),
        records=True,
    ),
    Function(
        "msd_publish",
        "scalar",
        "owner",
        "VARCHAR",
        "Let the analysts of a curator see a public relation whole; recorded. Nothing else of the database is shown.",
        "SELECT msd_publish('products');",
        (RELATION,),
        records=True,
    ),
    Function(
        "msd_unpublish",
        "scalar",
        "owner",
        "VARCHAR",
        "Take back msd_publish: analysts no longer see the relation; recorded.",
        "SELECT msd_unpublish('products');",
        (RELATION,),
        records=True,
    ),
    Function(
        "msd_pull",
        "scalar",
        "analyst",
        "VARCHAR",
        "Bring a published table from the curator into the own database, in place of one of that name.",
        "SELECT msd_pull('products');",
        (RELATION,),
        remote=True,
    ),
    Function(
        "msd_drop_items",
        "scalar",
        "owner",
        "VARCHAR",
        "Forget what was declared of an items relation, on the record.",
        "SELECT msd_drop_items('products');",
        (RELATION,),
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
