"""The SQL functions, described once: `msd functions`, completion in the shell and docs/sql.md are made from this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from msd_sql.errors import InputError, suggest

METHODS = ("auto", "greedy", "nosg", "osg", "local_search", "sls", "ls", "ls_greedy", "random", "rel", "mix")
DISTANCES = ("jaccard", "hamming", "l1", "l2", "angular", "haversine", "precomputed")
RELEVANCES = ("coverage", "best_match")
ENGINES = ("auto", "memory", "sql", "spark")


@dataclass(frozen=True)
class Argument:
    """One argument. `default` is SQL text; None: it has to be given."""

    name: str
    kind: str
    doc: str
    default: str | None = None
    allowed: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """True where it has to be given."""
        return self.default is None

    @property
    def written(self) -> str:
        """How it looks in a signature.

        >>> Argument("gamma", "DOUBLE", "…", "NULL").written
        'gamma := NULL'
        """
        return self.name if self.required else f"{self.name} := {self.default}"


@dataclass(frozen=True)
class Function:
    """One SQL function. `shape`: aggregate, scalar or table. `records`: it may write to the ledger."""

    name: str
    shape: str
    who: str
    returns: str
    doc: str
    example: str
    arguments: tuple[Argument, ...] = ()
    records: bool = False

    @property
    def signature(self) -> str:
        """The call, with every default.

        >>> FUNCTIONS["msd_remaining"].signature
        'msd_remaining(relation)'
        """
        return f"{self.name}({', '.join(argument.written for argument in self.arguments)})"

    @property
    def short(self) -> str:
        """The call with what has to be given, for one line of help.

        >>> FUNCTIONS["msd_ledger"].short
        'FROM msd_ledger()'
        """
        given = [argument.name for argument in self.arguments if argument.required]
        more = ["…"] if len(given) < len(self.arguments) else []
        return f"{'FROM ' if self.shape == 'table' else ''}{self.name}({', '.join(given + more)})"


_QUESTION = (
    Argument("k", "INTEGER", "How many items to choose, at least 1."),
    Argument(
        "eps",
        "DOUBLE",
        "The privacy loss ε that this answer may cost, above 0. NULL: no noise; refused on a protected relation "
        "unless exact := true.",
    ),
    Argument("diversity", "DOUBLE", "λ in [0, 1]: 0 is relevance only, 1 is diversity only (reads nothing private)."),
)
_OPTIONS = (
    Argument("method", "VARCHAR", "The algorithm; auto takes greedy, nosg or local_search.", "NULL", METHODS),
    Argument(
        "gamma",
        "DOUBLE",
        "How much of the guarantee may be given up, between 0 and 1: for fewer swaps (local_search, by default 0.4) or "
        "smaller samples (by default 0.1).",
        "NULL",
    ),
    Argument(
        "delta",
        "DOUBLE",
        "The δ of this answer; by default the relation's δ in proportion to eps of its budget.",
        "NULL",
    ),
    Argument(
        "features",
        "any column",
        "What makes two items differ: a list (jaccard), a vector (angular), a record or a value (hamming). By default "
        "what msd_items declared.",
        "NULL",
    ),
    Argument("distance", "VARCHAR", "The distance over the features.", "NULL", DISTANCES),
    Argument(
        "scale", "DOUBLE or list", "For l1 and l2: the public range of the features (of each, if a list).", "NULL"
    ),
    Argument(
        "quota",
        "any column",
        "A column of which each value may be chosen quota_cap times; a record of columns for nested quotas; a list "
        "column for one item per category.",
        "NULL",
    ),
    Argument("quota_cap", "INTEGER or list", "The cap, by default ceil(k / number of values).", "NULL"),
    Argument("score", "DOUBLE column", "A public relevance score: then nothing private is read.", "NULL"),
    Argument(
        "cap", "INTEGER", "How many chosen items of one user count; by default what msd_protect declared.", "NULL"
    ),
    Argument("reach", "VARCHAR", "The protected relation, where msd_items does not say which.", "NULL"),
    Argument("fresh", "BOOLEAN", "Ask (and pay) again instead of repeating this session's recorded answer.", "false"),
    Argument("exact", "BOOLEAN", "With eps NULL: an exact answer, recorded as ε = infinity.", "false"),
    Argument(
        "public",
        "BOOLEAN",
        "Assert that the candidates do not depend on protected data, where the guard cannot see it; recorded.",
        "false",
    ),
    Argument("engine", "VARCHAR", "Where marginals are computed; auto takes memory if it fits.", "NULL", ENGINES),
)
_RELATION = Argument("relation", "VARCHAR", "The name of a table or view.")
_TABLE = Argument("tbl", "table", "A table, view or CTE, or its name as a string (not a subquery).")
_KEY = Argument("key", "VARCHAR", "The name of the key column; by default what msd_items declared.", "NULL")
_REPLACE = Argument(
    "replace", "BOOLEAN", "Replace a different declaration; recorded, and what was spent stays.", "false"
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
            Argument("unit", "VARCHAR", "The column that names whom to protect; NULL: every row for itself.", "NULL"),
            Argument("item", "VARCHAR", "The column that names the item.", "NULL"),
            Argument("budget", "DOUBLE", "The total ε that may ever be spent.", "NULL"),
            Argument("delta", "DOUBLE", "The total δ; m^-1.5, cut to three digits, by default.", "NULL"),
            Argument("users", "BIGINT", "m, the public number of units; counted once by default.", "NULL"),
            Argument("cap", "INTEGER", "How many chosen items of one user count; 1 by default.", "NULL"),
            Argument("relevance", "VARCHAR", "How a user values a selection; coverage by default.", "NULL", RELEVANCES),
            Argument("similarity", "VARCHAR", "For best_match: SQL over r (private row) and v (item row).", "NULL"),
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
            Argument("key", "VARCHAR", "The column that names an item.", "NULL"),
            Argument("features", "VARCHAR or list", "The column (or columns) that make items differ.", "NULL"),
            Argument("distance", "VARCHAR", "The distance over them.", "NULL", DISTANCES),
            Argument("quota", "VARCHAR or list", "The column of the default quota.", "NULL"),
            Argument("quota_cap", "INTEGER or list", "Its cap.", "NULL"),
            Argument("reach", "VARCHAR", "The protected relation whose users the items reach.", "NULL"),
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
        (Argument("items", "any column", "The key of the candidates."), *_QUESTION, *_OPTIONS),
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
            Argument("items", "list", "The items."),
            Argument("eps", "DOUBLE", "The ε of the estimate; its noise is about 1/ε users."),
            Argument("relation", "VARCHAR", "The protected relation, where there are several.", "NULL"),
            Argument("fresh", "BOOLEAN", "Ask (and pay) again instead of repeating the recorded answer.", "false"),
            Argument("public", "BOOLEAN", "Assert that the items do not depend on protected data; recorded.", "false"),
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
            Argument("budget", "DOUBLE", "The new total ε."),
            Argument("delta", "DOUBLE", "The new total δ; unchanged by default.", "NULL"),
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


def function_named(name: str) -> Function:
    """Find the function of that name, or raise an error that suggests the nearest one.

    >>> function_named("msd_select").shape
    'aggregate'
    """
    found = FUNCTIONS.get(name.lower())
    if found is None:
        raise InputError(suggest("function", name, FUNCTIONS))
    return found
