"""What an owner declares: a protected relation (its unit and budget) and a public items relation (docs/privacy.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from msd_sql.catalog.amounts import share_of_delta
from msd_sql.database.sql_text import SPARK, Name


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
    spent: Decimal = field(default=Decimal(0), compare=False)
    spent_delta: Decimal = field(default=Decimal(0), compare=False)
    declared_at: datetime | None = field(default=None, compare=False)
    stored_name: str = ""
    home: str = ""  # the database whose schema msd holds the declaration and its budget
    relation: Name | None = field(default=None, compare=False)  # None: the relation lives in another engine
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
    def remaining(self) -> Decimal:
        """The ε that was left when this was read."""
        return max(self.budget - self.spent, Decimal(0))

    @property
    def remaining_delta(self) -> Decimal:
        """The δ that was left when this was read."""
        return max(self.delta - self.spent_delta, Decimal(0))

    def share(self, eps: Decimal) -> Decimal:
        """The δ of a release of `eps` that names none: delta·eps/budget."""
        return share_of_delta(eps, self.budget, self.delta)


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
