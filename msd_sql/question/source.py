"""Source: where the candidates of a statement come from, asked of the guard once a statement."""

from __future__ import annotations

from msd_sql.catalog.records.lines import Entry
from msd_sql.catalog.relations import described
from msd_sql.database.sql_text import Name, shown
from msd_sql.errors import CatalogError, InputError, LeakError, nearest
from msd_sql.guard.examine import Guard, Sources
from msd_sql.guard.statement_text import asserts_public, constant_columns, planned, tokens
from msd_sql.runtime.call import MEANWHILE, Call


def guarded(call: Call, public: bool) -> Sources:
    """What the statement reads; refused where that is protected, unless the caller asserts that it is public.

    >>> guarded(call, public=False).rows
    (Name(database='shop', schema='main', name='products'),)
    """
    if call.outside is not None:  # the rows come from where no private row is (docs/curator.md)
        return call.outside
    if public and not says_public(call):
        raise InputError(
            "public := must be a literal, public := true, wherever the statement says it: an expression could answer"
            " whether something holds of protected data."
        )

    def look() -> Sources:
        if not call.declared() or not (call.protected() or call.lookalikes() or call.items()):
            return Sources()  # nothing to refuse and nothing to find
        if call.context.view.plan is None:  # nothing was declared when the statement was planned (actions/tell.py)
            raise CatalogError(MEANWHILE)
        return guard(call, public=public).examine()

    return call.once(("sources", public), look)


def check_columns(call: Call, sources: Sources) -> None:
    """Refuse one value for all rows where a column is meant, such as its name in quotes.

    >>> check_columns(call, guarded(call, public=False))
    """
    for argument, text in constant_columns(call.context.statement).items():
        columns = [column for relation in sources.rows for column in described(call.lookups, call.once, relation.sql)]
        meant = [one.value for one in tokens(text) if one.kind == "string"]
        named = [shown(found) for one in meant if (found := nearest(one, columns))] or ["category"]
        example = named[0] if len(named) == 1 else f"({', '.join(named)})"
        raise InputError(
            f"{argument} is {text}, the same for every row. Name a column without quotes, such as "
            + (f"msd_select({example}, …)." if argument == "items" else f"{argument} := {example}.")
        )


def guard(call: Call, *, public: bool = False) -> Guard:
    """The guard, with what is protected and declared now; with nothing to protect where that is asserted."""
    protected = {} if public else call.private()
    declared = [known.name for known in call.items()]
    elsewhere = not public and any(known.in_spark for known in call.protected())
    return Guard(call.host, call.context.view, protected, declared, call.once, elsewhere=elsewhere)


def says_public(call: Call) -> bool:
    """Does the statement say `public := true` literally?"""
    if call.outside is not None:
        return False
    view = call.context.view
    return asserts_public(view.statement) or asserts_public(planned(view.statement, view.prepared))


def record_assertion(call: Call) -> None:
    """Enter in the ledger that a statement said public := true where nothing is charged, once for the statement.

    What it read is not known, so that every protected relation gets the line.
    """

    def note() -> None:
        for protected in call.protected():
            call.ledger.note(protected, Entry("public", statement=call.context.statement, asserted_public=True))

    call.once(("asserted",), note)


def check_public(call: Call, name: Name) -> None:
    """Refuse to call a relation public whose rows are private.

    >>> check_public(call, Name("shop", "main", "products"))
    """
    if (error := call.why_private(name)) is not None:
        why = str(error).partition(". ")[0]
        raise LeakError(f"{name} cannot be an items relation, which is public: {why}. Make a table of public items.")
