"""What an owner declares: a protected relation (its unit and budget) and a public items relation (docs/privacy.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from msd_sql.catalog.amounts import share_of_delta
from msd_sql.catalog.budget_filter import Budget, Loss
from msd_sql.database.sql_text import SPARK, Name


@dataclass(frozen=True)
class Audience:
    """Part of a relation's rows: those for which the expression over r is true (question/audience.py)."""

    sql: str
    columns: tuple[str, ...] = ()  # all that it may read
    zone: str | None = None  # the time zone that decides what it says of a row; None: none does


@dataclass(frozen=True)
class Protected:
    """A protected relation, as it was declared, and what has been spent of its budget when it was read.

    `name` is the relation as it is called in this session (database.schema.name); `stored_name` is how its
    declaration is stored: without the database where both are in the same file, so that a renamed file stays protected.
    """

    name: str
    unit: str | None  # the column that names the privacy unit; None: every row is a unit of its own
    item: str | None  # the column that names the item; None for best_match, whose similarity links row and item
    relevance: str  # 'coverage' or 'best_match'
    similarity: str | None  # SQL over r (the private row) and v (the item row), for best_match
    cap: int
    m: int  # the number of units: public, fixed when the relation was protected
    budget: Decimal  # total ε
    delta: Decimal  # total δ
    audience: Audience | None = None  # of one question: only these rows count; None: all of them
    shares: str | None = None  # the stored name of the relation whose budget this one draws on; None: its own
    head: float | None = None  # the largest share of the users that an item is expected to have; None: nobody said
    alpha: Decimal | None = field(default=None, compare=False)  # the order of the second account; None: sums only
    spent: Decimal = field(default=Decimal(0), compare=False)
    spent_delta: Decimal = field(default=Decimal(0), compare=False)
    spent_renyi: Decimal = field(default=Decimal(0), compare=False)
    spent_clamp: Decimal = field(default=Decimal(0), compare=False)
    answers: int = field(default=0, compare=False)  # how many were charged to its budget
    declared_at: datetime | None = field(default=None, compare=False)
    stored_name: str = ""
    home: str = ""  # the database whose schema msd holds the declaration and its budget
    relation: Name | None = field(default=None, compare=False)  # None: the relation lives in another engine
    missing: bool = field(default=False, compare=False)  # it was declared, but nothing by its name is there now
    notes: tuple[str, ...] = field(default=(), compare=False)  # said once, when it is declared

    @property
    def in_spark(self) -> bool:
        """Whether the relation lives in a Spark session and not in DuckDB."""
        return self.relation is None

    @property
    def sql(self) -> str:
        """The relation as text for a FROM clause of the engine that holds it."""
        return self.relation.sql if self.relation else self.name.removeprefix(SPARK)

    @property
    def charged_to(self) -> str:
        """The stored name of the relation whose budget is charged: its own, or that of the one it shares."""
        return self.shares or self.stored_name

    @property
    def limits(self) -> Budget:
        """The budget with its two rules."""
        return Budget(self.budget, self.delta, self.alpha)

    @property
    def loss(self) -> Loss:
        """What had been spent when this was read, in both accounts."""
        return Loss(self.spent, self.spent_delta, self.spent_renyi, self.spent_clamp)

    @property
    def remaining(self) -> Decimal:
        """The ε that was left when this was read, by the better of the two accounts."""
        return self.limits.left(self.loss)

    @property
    def among(self) -> str:
        """The audience in words, for the ledger: empty where all rows count."""
        return "" if self.audience is None else f", among {self.audience.sql}"

    def share(self, eps: Decimal) -> Decimal:
        """The δ of a release of `eps` that names none: in proportion, of the δ that is for sums, and no more."""
        return min(share_of_delta(eps, self.budget, self.limits.delta_sum), self.limits.delta_sum)


@dataclass(frozen=True)
class Items:
    """A public items relation: what names an item, what makes two items differ, and which users it reaches."""

    name: str
    key_column: str  # the column that names the item
    features: tuple[str, ...]  # columns that the distance reads
    distance: str | None
    quota: tuple[str, ...]  # columns of the default constraint: one for a partition, several for nested quotas
    quota_cap: tuple[int, ...]  # one for every quota column, or empty: the default cap
    reach: str | None  # the protected relation, as it is called in this session
    stored_name: str = ""  # how the declaration is stored (see Protected)
    home: str = ""
    relation: Name | None = field(default=None, compare=False)
    declared_at: datetime | None = field(default=None, compare=False)
