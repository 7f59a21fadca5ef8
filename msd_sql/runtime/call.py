"""A call: who asks, and what only the asking connection sees (its statement, search path and TEMP objects)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msd_sql.catalog import homes
from msd_sql.catalog.accounts.account import Account
from msd_sql.catalog.accounts.account_book import AccountBook
from msd_sql.catalog.accounts.share_charge import no_share
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.declaration_rows import is_missing, present
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.places.ledger_file import HomeHosts, with_ledger_open
from msd_sql.catalog.places.lookalikes import say_where
from msd_sql.catalog.records.who import Who, system_user
from msd_sql.catalog.relations import relation_rows
from msd_sql.database.background import BackgroundRead
from msd_sql.database.host import Host, OwnHost, unoptimised
from msd_sql.database.spark_host import SparkHost, missing_session
from msd_sql.database.sql_text import Name, fold, parts
from msd_sql.database.storage_layout import Table
from msd_sql.errors import CatalogError, EngineError, LeakError
from msd_sql.guard.examine import Guard, Sources
from msd_sql.runtime.caller import Context
from msd_sql.runtime.offers import Offers
from msd_sql.runtime.progress import Progress
from msd_sql.runtime.vector_store import VectorStore
from msd_sql.udfs.types import Source

if TYPE_CHECKING:
    from msd_sql.runtime.instance import Instance

T = TypeVar("T")
INTERRUPTED = "The query was interrupted. What had been charged before stays charged: see msd_ledger()."
MEANWHILE = "Something was protected or declared while this statement ran: run it again."


class Call:
    """One call of a SQL function: a host on a fresh cursor, the caller's context and the memory of its database."""

    def __init__(self, host: Host, context: Context, instance: Instance) -> None:
        self.host = host
        self.context = context
        self.instance = instance
        self.stopped = False
        self.progress = Progress()
        self._begun: list[BackgroundRead[Any]] = []
        self._opened: list[OwnHost] = []

    @cached_property
    def lookups(self) -> Host:
        """A host for statements over small tables, such as those of schema msd: not optimised, which takes longer."""
        own = self.host.second_connection()
        if own is None:
            return self.host
        self._opened.append(own)
        return unoptimised(own)

    @cached_property
    def home_hosts(self) -> HomeHosts:
        """The hosts of the databases that keep declarations and ledgers."""
        return HomeHosts(self.lookups, self.instance.ledger_file)

    @cached_property
    def catalog(self) -> Catalog:
        """The declarations in the databases that the caller sees."""
        spark = None if self.instance.spark is None else lambda: self.spark
        return Catalog(
            self.lookups,
            self.instance.home,
            path=self.context.path,
            temporary=self.context.temporary,
            spark=spark,
            who=self.who(),
            ledger_file=self.instance.ledger_file,
        )

    @property
    def account(self) -> Account | None:
        """The account that asks; None where the caller has the database itself."""
        return self.context.outside.account if self.context.outside else None

    @property
    def outside(self) -> Sources | None:
        """The published relations that the rows come from; None where the guard has to look."""
        return self.context.outside.sources if self.context.outside else None

    def who(self) -> Who:
        """Who asks, for the ledger."""
        found = system_user()
        return found if self.account is None else Who(self.account.name, found.program)

    @cached_property
    def spark(self) -> SparkHost:
        """The Spark session that was registered, as a host."""
        return SparkHost(self.instance.spark)

    def holder(self, protected: Protected) -> Host:
        """The host of the engine that a protected relation lives in."""
        if not protected.in_spark:
            return self.host
        if self.instance.spark is None:
            raise missing_session(protected.name)
        return self.spark

    @property
    def ledger(self) -> Ledger:
        """The ledgers in the databases that the caller sees."""
        return Ledger(self.lookups, self.identity, self.who, self.instance.ledger_file, self.account)

    def identity(self, home: str) -> str:
        """What tells the database of a ledger from every other one."""
        return self.once(("identity", home), lambda: self._look_up(home))

    @with_ledger_open
    def _look_up(self, home: str) -> str:
        return homes.identity(self.home_hosts.at(home), home, self.databases().get(home))

    def source(self, protected: Protected) -> Source | None:
        """The repeatable randomness of a test's own database; None: the operating system's, as for every other one.

        It never reaches rows that lie in a file, in Spark, or in another database that is attached: those are drawn
        for privately, whatever a test has made of this database.
        """
        if self.instance.seeded is None or protected.relation is None:
            return None
        own, source = self.instance.seeded
        there = self.databases().get(own)
        in_memory = there is not None and there.native and there.path is None
        return source if in_memory and protected.home == protected.relation.database == own else None

    def protected(self) -> list[Protected]:
        """Every relation that is protected now, and that the caller may ask about."""
        found = self._all_protected()
        if self.account is None or self.account.owner:
            return found
        shares = {share.relation for share in self.account.shares}
        return [protected for protected in found if protected.stored_name in shares]

    def _all_protected(self) -> list[Protected]:
        return self.once(
            ("protected",), lambda: self.catalog.all_protected(self.databases()) if self.declared() else []
        )

    def declared(self) -> bool:
        """Was anything ever declared? Where nothing was, one short look tells that there is nothing to look up."""
        return self.once(("declared",), lambda: self.instance.declares(self.host))

    def private(self) -> dict[str, str | None]:
        """What is protected, and what may be such a relation under another name; each with the column of its units."""
        known = self._all_protected()
        like = self.once(("all lookalikes",), lambda: self.catalog.lookalikes(self.databases(), known, self.items()))
        found = {one.name: one.unit for one in known if one.relation is not None and not one.missing}
        return found | {str(name): one.unit for name, one in like.items()}

    def need(self, relation: str) -> Protected:
        """A protected relation by its name; an error where it is not protected, or was not when the guard looked."""
        known = {protected.name: protected for protected in self.protected()}
        if relation in known:
            return self._there(known[relation])
        if self.account is not None and not self.account.owner:
            return self._there(self._with_share(relation, list(known.values())))
        named = self.once(("protected", relation), lambda: self.catalog.need(relation))
        if named.name not in known:
            raise CatalogError(MEANWHILE)
        return self._there(named)

    def _with_share(self, relation: str, known: Sequence[Protected]) -> Protected:
        """A relation that an account has a share of, by the last parts of its name; of others it learns nothing."""
        given = tuple(fold(part) for part in parts(relation))
        found = [one for one in known if tuple(fold(part) for part in parts(one.name)[-len(given) :]) == given]
        if self.account is None or len(found) != 1:
            raise no_share(self.account, relation) if self.account else CatalogError(MEANWHILE)
        return found[0]

    def published(self) -> list[Name]:
        """What owners have published and is public still: it may have been protected, or made another view, since."""

        def look() -> list[Name]:
            homes_there = [one.name for one in self.databases().values() if one.home]
            return [
                name
                for home in homes_there
                for key in AccountBook(self.lookups, home).published()
                if (name := present(key, None, home, self.databases())) is not None
                and not is_missing(name, self.databases())
                and self.why_private(name) is None
            ]

        return self.once(("published",), look)

    def why_private(self, name: Name) -> LeakError | None:
        """Why a relation cannot be public; None if its rows are."""
        private = self.private()
        if not private:
            return None
        declared = [*(known.name for known in self.items()), str(name)]
        guard = Guard(self.host, self.context.view, private, declared, lambda question, answer: answer())
        try:
            guard.check_relation(name)
        except LeakError as error:
            return error
        return None

    def lookalikes(self) -> Mapping[Name, Protected]:
        """What may be a protected relation under another name: as private as the one it resembles."""
        return self.once(
            ("lookalikes",), lambda: self.catalog.lookalikes(self.databases(), self.protected(), self.items())
        )

    def _there(self, protected: Protected) -> Protected:
        if protected.missing:
            like = [name for name, one in self.lookalikes().items() if one.name == protected.name]
            told = (
                f"{like[0]} has its columns: {say_where(protected.name, str(like[0]))}"
                if like
                else "Attach its file, load it again under its name, or let the owner say where it is: msd_move."
            )
            raise CatalogError(f"The protected relation {protected.name} is gone: dropped, renamed or moved. {told}")
        return protected

    def items(self) -> list[Items]:
        """Every items relation that is declared."""
        return self.once(("items",), lambda: self.catalog.all_items(self.databases()) if self.declared() else [])

    def databases(self) -> Mapping[str, homes.Database]:
        """The attached databases."""
        return self.once(("databases",), self._look_at_databases)

    @with_ledger_open
    def _look_at_databases(self) -> Mapping[str, homes.Database]:
        return self.home_hosts.databases([row[1:4] for row in relation_rows(self.lookups, self.once)])

    def stored(self, name: Name) -> Table | None:
        """A table that DuckDB itself stores; None if it is a view, or another system's."""
        database = self.databases().get(name.database)
        rows = relation_rows(self.lookups, self.once)
        marks = {(row[1], row[2], row[3]): row[5] for row in rows if row[0] == "table"}
        object_id = marks.get((name.database, name.schema, name.name))
        return Table(name, object_id, database.path) if database is not None and database.native and object_id else None

    def once(self, question: tuple[Hashable, ...], answer: Callable[[], T]) -> T:
        """The answer to a question that has one answer for a whole statement, however many groups ask it."""
        return self.instance.once(self.context.connection, self.context.query, question, answer)

    @property
    def vectors(self) -> VectorStore:
        """The vectors that the rows of this statement handed over."""
        return self.instance.vectors(self.context.connection, self.context.query)

    @property
    def offers(self) -> Offers[Any, Any]:
        """The groups that this statement has offered."""
        return self.once(("offers",), Offers)

    def background(self, host: Host, work: Callable[[Host], T], table: str | None) -> BackgroundRead[T]:
        """Begin work over a table beside this call; it does not outlive it."""
        begun = BackgroundRead(host, work, table)
        self._begun.append(begun)
        return begun

    def end(self) -> None:
        """Leave nothing running, and nothing on the screen."""
        self.progress.close()
        for begun in self._begun:
            begun.shutdown()
        for own in self._opened:
            own.close()

    def stop(self) -> None:
        """Stop this call, from another thread: its statement now, its selection before the next draw."""
        self.stopped = True
        for host in (self.host, *self._opened):
            host.interrupt()
        for begun in list(self._begun):
            begun.stop()
        if "spark" in self.__dict__:
            self.spark.interrupt()

    def check(self) -> None:
        """Raise an error if the call was stopped."""
        if self.stopped:
            raise EngineError(INTERRUPTED)
