"""Recount: renew m, the public number of users of a protected relation, by a private count of them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from msd_sql.actions.release import Asked, Drawn, Terms, release
from msd_sql.actions.rows_content import rows_content
from msd_sql.catalog.amounts import shown
from msd_sql.catalog.declaration_checks import MOST_USERS
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.readability import probe
from msd_sql.catalog.records.lines import Answer
from msd_sql.database.private_reads import private_rows
from msd_sql.database.sql_text import quote
from msd_sql.errors import uncharged
from msd_sql.question.source import guarded
from msd_sql.runtime.call import Call
from msd_sql.runtime.release_memory import fingerprint
from msd_sql.udfs.privacy.laplace import private_count
from msd_sql.udfs.privacy.randomness import SecretSource
from msd_sql.udfs.privacy.renyi import Divergence
from msd_sql.udfs.receipt import Receipt


def recount(call: Call, relation: str, eps: Decimal) -> str:
    """Count the units with discrete Laplace noise of scale 1/ε, charged like any answer, and let m be that number.

    What holds now is returned as a sentence. δ stays what it is: it never shrinks because m grew.
    """
    with uncharged():
        guarded(call, False)
        protected = call.need(relation)
        probe(call.holder(protected), protected, rows_only=True)

    def draw() -> Drawn:
        source = call.source(protected) or SecretSource()
        return (private_count(_counted(call, protected), Fraction(eps), source),), None

    counted = release(call, [_asked(call, protected, eps)], lambda new: [draw()])[0].release.picks[0]
    m = min(max(counted, 1), MOST_USERS)
    call.catalog.set_users(protected.name, m, statement=call.context.statement)
    return f"{protected.name}: m = {m:,} (it was {protected.m:,}), counted with ε {shown(eps)}; δ stays as it is."


def _asked(call: Call, protected: Protected, eps: Decimal) -> Asked:
    receipt = Receipt(
        method="laplace", n=0, k=0, diversity=0.0, m=protected.m, rounds=1, bound="basic",
        eps=float(eps), delta=0.0, delta_used=0.0, eps0=float(eps), eta=float(eps),
        private=call.source(protected) is None, loss=Divergence.of_count(float(eps)),
    )  # fmt: skip

    terms = Terms(
        kind="recount",
        protected=protected,
        content=rows_content(call, None, protected),
        answer=Answer(eps, Decimal(0), receipt.loss, None, None, "laplace", "basic", receipt.as_dict()),
        receipt=receipt,
        what=f"how many users there are, ε {shown(eps)}",
        parameters={"eps": f"{eps.normalize():f}"},
        fresh=False,
        asserted_public=False,
    )
    return Asked(terms, fingerprint(recount=protected.stored_name, declared=str(protected.declared_at), eps=str(eps)))


def _counted(call: Call, protected: Protected) -> int:
    counted = f"count(DISTINCT {quote(protected.unit)})" if protected.unit is not None else "count(*)"
    sql = f"SELECT {counted} FROM {protected.sql}"
    return int(private_rows(call.holder(protected), sql, protected.name)[0][0])
