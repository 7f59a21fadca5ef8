"""What a description says of a SQL function and its arguments: the words that `functions.py` is written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What an argument holds. It decides how the argument travels to Python, and how its text is read there."""

    TABLE = auto()  # a table, view or CTE
    ITEMS = auto()  # the key column of the candidates
    GROUP = auto()  # a column expression: a selection for each of its values
    ITEM_LIST = auto()  # a list of keys of any type, told with its type
    FEATURES = auto()  # a column expression: texts, records, lists or vectors
    CATEGORY = auto()  # a column expression: texts, records or lists
    SCORE = auto()  # a column expression: numbers
    KEYS = auto()  # a list of keys
    WHOLE = auto()  # a whole number in a range
    WHOLES = auto()  # a whole number or a list of them, each in a range
    COUNTS = auto()  # a whole number, a list of them, or one by value, each in a range
    NUMBER = auto()  # a number in a range
    NUMBERS = auto()  # a positive number or a list of them
    EPS = auto()  # an ε that is asked for
    DELTA = auto()  # a δ that is asked for
    AMOUNT = auto()  # an ε or δ that is declared
    TEXT = auto()  # a text: the name of a relation or a column, SQL, or one of a few names
    NAMES = auto()  # the name of a column or a list of them
    FLAG = auto()  # true or false


TYPES = {
    Kind.TABLE: "table",
    Kind.ITEMS: "any column",
    Kind.GROUP: "any column",
    Kind.ITEM_LIST: "list",
    Kind.FEATURES: "any column",
    Kind.CATEGORY: "any column",
    Kind.SCORE: "DOUBLE column",
    Kind.KEYS: "list",
    Kind.WHOLE: "INTEGER",
    Kind.WHOLES: "INTEGER or list",
    Kind.COUNTS: "INTEGER, list or MAP",
    Kind.NUMBER: "DOUBLE",
    Kind.NUMBERS: "DOUBLE or list",
    Kind.EPS: "DOUBLE",
    Kind.DELTA: "DOUBLE",
    Kind.AMOUNT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.NAMES: "VARCHAR or list",
    Kind.FLAG: "BOOLEAN",
}
_WORDS = {
    Kind.KEYS: "a list of keys, such as [12, 40], none of them NULL",
    Kind.NUMBERS: "a positive number, or a list of them, one for each feature",
    Kind.EPS: "a finite number above 0",
    Kind.DELTA: "a finite number above 0",
    Kind.AMOUNT: "a finite number above 0",
    Kind.TEXT: "a text",
    Kind.NAMES: "the name of a column, or a list of them",
    Kind.FLAG: "true or false",
}
COLUMNS = (Kind.FEATURES, Kind.CATEGORY, Kind.SCORE)  # one value a row of the candidates
ROWS = (Kind.TABLE, Kind.ITEMS, Kind.ITEM_LIST, Kind.GROUP)  # where the candidates come from


@dataclass(frozen=True)
class Argument:
    """One argument. `default` is SQL text; None: it has to be given. `least` and `most` bound a number.

    >>> Argument("quota_min", Kind.WHOLES, "…", "NULL", least=0).type
    'INTEGER or list'
    """

    name: str
    kind: Kind
    doc: str
    default: str | None = None
    names: (
        tuple[str, ...] | Callable[[], tuple[str, ...]]
    ) = ()  # what is allowed, or what tells it when it is asked for
    least: float = 1
    most: float = 1_000_000
    inside: bool = False  # `least` and `most` themselves are not allowed
    above: bool = False  # `least` itself is not allowed
    nullable: bool = False  # it has to be given, and may be NULL

    @property
    def allowed(self) -> tuple[str, ...]:
        """The names that it can be; none where it is no name.

        >>> Argument("engine", Kind.TEXT, "…", "NULL", lambda: ("auto", "sql")).allowed
        ('auto', 'sql')
        """
        return self.names() if callable(self.names) else self.names

    @property
    def required(self) -> bool:
        """True where it has to be given."""
        return self.default is None

    @property
    def type(self) -> str:
        """Its SQL type, as the reference names it."""
        return "BIGINT" if self.kind is Kind.WHOLE and self.most >= 2**31 else TYPES[self.kind]

    @property
    def is_option(self) -> bool:
        """True if it travels as a text; False for the candidates and for columns of theirs."""
        return self.kind not in (*COLUMNS, *ROWS)

    @property
    def written(self) -> str:
        """How it looks in a signature.

        >>> Argument("gamma", Kind.NUMBER, "…", "NULL").written
        'gamma := NULL'
        """
        return self.name if self.required else f"{self.name} := {self.default}"

    @property
    def must_be(self) -> str:
        """What it may be, in words.

        >>> Argument("diversity", Kind.NUMBER, "…", least=0, most=1).must_be
        'a number from 0 to 1'
        """
        if self.kind in _WORDS:
            return _WORDS[self.kind]
        noun = "a number" if self.kind is Kind.NUMBER else "a whole number"
        low, high = f"{self.least:.16g}", f"{self.most:.16g}"
        many = ", a list of them for nested quotas, or one by value, such as MAP {'tea': 2}"
        if self.kind is Kind.COUNTS:
            return f"{noun} from {low} to {high}{many}"
        if self.above:
            return f"{noun} above {low} and at most {high}"
        return f"{noun} between {low} and {high}, both excluded" if self.inside else f"{noun} from {low} to {high}"


@dataclass(frozen=True)
class Function:
    """One SQL function. `shape`: aggregate, scalar or table. `records`: it may write to the ledger.

    `remote`: it needs a curator.
    """

    name: str
    shape: str
    who: str
    returns: str
    doc: str
    example: str
    arguments: tuple[Argument, ...] = ()
    records: bool = False
    remote: bool = False

    @property
    def signature(self) -> str:
        """The call, with every default.

        >>> Function("msd_remaining", "scalar", "everybody", "DOUBLE", "…", "…").signature
        'msd_remaining()'
        """
        return f"{self.name}({', '.join(argument.written for argument in self.arguments)})"

    @property
    def short(self) -> str:
        """The call with what has to be given, for one line of help.

        >>> Function("msd_ledger", "table", "everybody", "rows", "…", "…").short
        'FROM msd_ledger()'
        """
        given = [argument.name for argument in self.arguments if argument.required]
        more = ["…"] if len(given) < len(self.arguments) else []
        return f"{'FROM ' if self.shape == 'table' else ''}{self.name}({', '.join(given + more)})"

    @property
    def options(self) -> tuple[Argument, ...]:
        """The arguments that travel as texts."""
        return tuple(argument for argument in self.arguments if argument.is_option)
